/// The item syntax for `--help`, in lines that are short enough for its indentation.
enum ItemHelp {
    static let text = """
        Name:value    a header; "Name:" leaves out one that is sent by
                      default, "Name;" sends an empty one
        name==value   a query parameter
        name=value    a field: a string in the JSON object or form
        name:=json    a field: any JSON, as in age:=36 or tags:='["a"]'
        a[b]=value    nested JSON, as HTTPie has it: a[b][c]=1 makes objects,
                      l[]=x and l[0]=x lists; []=x makes a list of all.
                      A name with two values is an error
        name@file     a file in a form (--form, --multipart); its type
                      comes from its name, or f@a;type=image/png, and
                      its name is its own, or f@a;filename=b.png
        @file         the file as the body; @- is standard input
        A value may be the contents of a file: Name:@file, name==@file,
        name=@file, name:=@file. A backslash before one of : ; = @ and
        brackets takes their meaning. White space around the value of a
        header is left out. ~/ is the home folder.
        Piped input is the body when there is no field, no @file and no
        --raw, except with get, head, delete and options
        (--ignore-stdin: it is not read).
        """
}
