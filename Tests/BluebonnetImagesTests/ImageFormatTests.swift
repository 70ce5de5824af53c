#if Images
    import BluebonnetImages
    import Testing

    @Suite struct ImageFormatTests {}
#endif
