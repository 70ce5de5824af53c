#ifndef BLUEBONNET_GTK4_SHIM_H
#define BLUEBONNET_GTK4_SHIM_H

#include <gtk/gtk.h>

#endif
