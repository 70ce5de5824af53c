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
                      A name that is given twice is an error
        name@file     a file in a form (--form, --multipart); its type
                      comes from its name, or photo@a.bin;type=image/png
        @file         the file as the body; @- is standard input
        A value may be the contents of a file: Name:@file, name==@file,
        name=@file, name:=@file; one line end at the end of the file is
        left out. A backslash before a separator or a bracket makes it a
        part of the name. White space around the value of a header is
        left out.
        Input piped into post, put and patch is the body when there is
        no field and no @file (--ignore-stdin: it is not read).
        """
}
