#ifndef BLUEBONNET_GDK_PIXBUF_SHIM_H
#define BLUEBONNET_GDK_PIXBUF_SHIM_H

#include <gdk-pixbuf/gdk-pixbuf.h>

// The time of an animation is a GTimeVal, which is deprecated, and therefore an error in Swift.

static inline GdkPixbufAnimationIter *
bluebonnet_animation_begin(GdkPixbufAnimation *animation)
{
    G_GNUC_BEGIN_IGNORE_DEPRECATIONS
    GTimeVal start = {0, 0};
    return gdk_pixbuf_animation_get_iter(animation, &start);
    G_GNUC_END_IGNORE_DEPRECATIONS
}

static inline gboolean
bluebonnet_animation_advance(GdkPixbufAnimationIter *frame, gint64 milliseconds)
{
    G_GNUC_BEGIN_IGNORE_DEPRECATIONS
    GTimeVal time = {milliseconds / 1000, milliseconds % 1000 * 1000};
    return gdk_pixbuf_animation_iter_advance(frame, &time);
    G_GNUC_END_IGNORE_DEPRECATIONS
}

#endif
