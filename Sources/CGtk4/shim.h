#ifndef BLUEBONNET_GTK4_SHIM_H
#define BLUEBONNET_GTK4_SHIM_H

#include <glib-unix.h>
#include <gtk/gtk.h>
#include <sys/syscall.h>
#include <unistd.h>

// The functions of libdispatch for the main loop of another library. It exports them for the
// CoreFoundation of Linux, and has no header for them.

// The descriptor that can be read when the main queue has work.
int _dispatch_get_main_queue_handle_4CF(void);

// Runs the work of the main queue; on the main thread only.
void _dispatch_main_queue_callback_4CF(void *message);

static inline gboolean
bluebonnet_is_main_thread(void)
{
    return getpid() == (pid_t)syscall(SYS_gettid);
}

// Swift does not see functions with a variable number of arguments.

// The property is older than the function that has taken its place in GTK 4.8.
static inline void
bluebonnet_fill(GtkWidget *picture)
{
    g_object_set(picture, "keep-aspect-ratio", FALSE, NULL);
}

static inline gboolean
bluebonnet_allows_animations(GtkWidget *widget)
{
    gboolean allows = TRUE;
    g_object_get(gtk_widget_get_settings(widget), "gtk-enable-animations", &allows, NULL);
    return allows;
}

#endif
