#ifndef BLUEBONNET_WEBKITGTK_SHIM_H
#define BLUEBONNET_WEBKITGTK_SHIM_H

#include <webkit/webkit.h>

#endif
