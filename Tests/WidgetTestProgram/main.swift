#if GTK

import BluebonnetGTK
import CGtk4

if gtk_init_check() == 0 {
    print("no display")
}

#endif
