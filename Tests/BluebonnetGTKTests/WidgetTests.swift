#if GTK

import Testing

@Suite struct `Widgets` {
}

#endif
