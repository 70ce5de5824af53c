/// The item syntax for `--help`, in lines that fit beside its indentation.
enum ItemHelp {
    static let text = """
        Name:value    a header; "Name:" leaves out one that is sent by
                      itself, "Name;" sends an empty one
        name==value   a query parameter
        name=value    a field: a string in the JSON object or form
        name:=json    a field: any JSON, as in age:=36 or tags:='["a"]'
        name@file     a file in a form (--form, --multipart); its type is
                      known by its name, or given: photo@a.bin;type=image/png
        @file         the file as the body; @- is standard input
        A value may be the contents of a file: Name:@file, name==@file,
        name=@file, name:=@file. A backslash before a separator makes it
        a part of the name. Standard input is read only for @-.
        """
}
