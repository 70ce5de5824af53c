/// The command lines of HTTPie's documentation, by its sections, in which `URL` stands for that of
/// the server, `HOST` for its address and its port, and `PORT` for the port.
enum HTTPieLines {
    /// Lines for which the same requests arrive, with the same exit status.
    static let same = [
        // Usage, method and URL.
        #"http PUT URL/put X-API-Token:123 name=John"#, #"http -f POST URL/post hello=World"#, #"http -v URL/get"#,
        #"http -a USERNAME: POST URL/repos/httpie/cli/issues/83/comments body='HTTPie is awesome! :heart:'"#,
        #"http URL/post < files/data.json"#, #"http URL/image/png > image.png"#, #"http --download URL/image/png"#,
        #"http URL Host:example.com"#, #"http DELETE URL/delete"#, #"http AHOY URL/post"#, #"http POST URL/post"#,
        #"http GET URL/get hello=world"#, #"http GET URL/get"#, #"http URL/get"#, #"http POST URL/post hello=world"#,
        #"http URL/post hello=world"#, #"http HOST"#, #"http ://HOST"#, #"http PUT URL/put"#, #"http HEAD URL/"#,
        #"http OPTIONS URL/get"#, #"http get URL/get"#, #"http --default-scheme=http HOST/get"#,
        #"http URL/search/repositories q==httpie per_page==1"#, #"http URL/get text==@files/text.txt"#,
        #"http 'URL/get?a=1' 'b==c d'"#, #"http URL/get 'q==ü&=#'"#, #"http :PORT/foo"#, #"http :PORT"#,
        #"http -v URL/./../../etc/password"#, #"http --path-as-is -v URL/./../../etc/password"#,
        // Items.
        #"http PUT URL/put X-Date:today token==secret name=John age:=29"#,
        #"""
        http POST URL/post X-Data:@files/text.txt token==@files/text.txt name=@files/text.txt \
            bookmarks:=@files/data.json
        """#,
        #"http URL/post 'foo\==bar'"#, #"http URL/post 'foo\:bar=baz'"#, #"http URL/post 'foo=a\=b\\c'"#,
        #"http URL/post 'x\@y=z'"#, #"http URL/post 'foo\\=bar'"#,
        #"http URL/post -- -name-starting-with-dash=foo -Unusual-Header:bar"#,
        #"http PUT URL/put name=John email=john@example.org"#, #"http -j URL/post a=1"#,
        #"http --json URL/get Content-Type:application/json"#, #"http URL/post a= b:=null 'q=é ü'"#,
        #"""
        http PUT URL/put name=John age:=29 married:=false hobbies:='["http", "pies"]' \
            favorite:='{"tool": "HTTPie"}' bookmarks:=@files/data.json description=@files/text.txt
        """#,
        // Nested JSON.
        #"""
        http URL/post platform[name]=HTTPie platform[about][mission]='Make APIs simple and intuitive' \
            platform[about][homepage]=httpie.io platform[about][homepage]=httpie.io \
            platform[about][stars]:=54000 platform[apps][]=Terminal platform[apps][]=Desktop \
            platform[apps][]=Web platform[apps][]=Mobile
        """#,
        #"http URL/post category=tools search[type]=id search[id]:=1"#,
        #"http URL/post category=tools search[type]=keyword search[keywords][]=APIs search[keywords][]=CLI"#,
        #"http URL/post category=tools search[type]=keyword search[keywords][1]=APIs search[keywords][0]=CLI"#,
        #"""
        http URL/post category=tools search[type]=platforms search[platforms][]=Terminal \
            search[platforms][1]=Desktop search[platforms][3]=Mobile
        """#,
        #"""
        http URL/post category=tools search[type]=platforms 'search[platforms]:=["Terminal", "Desktop"]' \
            search[platforms][]=Web search[platforms][]=Mobile
        """#,
        #"""
        http PUT URL/put shallow=value object[key]=value array[]:=1 array[1]:=2 array[2]:=3 \
            very[nested][json][3][httpie][power][]=Amaze
        """#,
        #"http URL/post []:=1 []:=2 []:=3"#,
        #"http URL/post [0][type]=platform [0][name]=terminal [1][type]=platform [1][name]=desktop"#,
        #"http URL/post 'foo\[bar\]:=1' 'baz[\[]:=2' 'baz[\]]:=3'"#, #"http URL/post 'backslash[\\]:=1'"#,
        #"http URL/post 'object[\1]=stringified' 'object[\100]=same' 'array[1]=indexified'"#,
        // Raw JSON, forms and files.
        #"echo -n '{"hello": "world"}' | http POST URL/post"#, #"http POST URL/post < files/data.json"#,
        #"http --form POST URL/post name='John Smith'"#,
        #"http -f POST URL/post name='John Smith' cv@~/files/data.xml"#,
        #"http -f POST URL/post name='John Smith' cv@'~/files/data.bin;type=application/pdf'"#,
        #"http -f URL/post cv@files/data.xml name=John"#, #"http --form URL/post a=1 a=2 'b=é&='"#,
        #"http --form URL/post a:=1 b=@files/text.txt"#, #"http --form URL/post 'a[b]=c'"#,
        #"http --multipart URL/post hello=world"#, #"http --form --multipart --boundary=xoxo URL/post hello=world"#,
        #"http --form --multipart URL/post hello=world Content-Type:multipart/letter"#,
        // Headers, cookies and credentials.
        #"""
        http URL/headers User-Agent:Bacon/1.0 'Cookie:valued-visitor=yes;foo=bar' X-Foo:Bar \
            Referer:https://httpie.org/
        """#,
        #"http URL/headers X-Data:@files/text.txt"#, #"http URL/headers Accept: User-Agent:"#,
        #"http URL/headers 'Header;'"#, #"http URL Cookie:one Cookie:two"#, #"http URL Numbers:one,two"#,
        #"http URL/post Content-Type:application/x+json a=1"#, #"http URL/cookies Cookie:sessionid=foo"#,
        #"http URL/cookies 'Cookie:sessionid=foo;another-cookie=bar'"#,
        #"http -a username:password URL/basic-auth/username/password"#,
        #"http -A digest -a username:password URL/digest-auth/httpie/username/password"#,
        #"http -A bearer -a token URL/bearer"#, #"http -a username: URL/headers"#,
        #"http http://username:password@HOST/basic-auth/username/password"#,
        // Redirects and output.
        #"http --follow URL/redirect/3"#, #"http --follow --all URL/redirect/3"#,
        #"http --print=Hh PUT URL/put hello=world"#, #"http --meta URL/get"#, #"http --print=hm URL/get"#,
        #"http --verbose PUT URL/put hello=world"#, #"http -vv URL/get"#,
        #"http --quiet URL/post enjoy='the silence'"#,
        #"http -qq --check-status URL/post enjoy='the silence without warnings'"#,
        #"http -A digest -a foo:bar --all -p Hh URL/digest-auth/auth/foo/bar"#,
        #"http --headers PATCH URL/patch name='New Name'"#, #"http --pretty=all --print=hb URL/get"#,
        #"http --response-mime=text/yaml URL/get"#, #"http --response-charset=big5 URL/get"#,
        #"http --check-status --ignore-stdin --timeout=2.5 HEAD URL/get &> /dev/null"#,
        #"http --check-status URL/status/404"#, #"http --check-status URL/status/503"#,
        // Raw bodies.
        #"http PUT URL/put X-API-Token:123 < files/data.json"#, #"grep John files/text.txt | http POST URL/post"#,
        #"echo -n '{"name": "John"}' | http PATCH URL/patch X-API-Token:123"#,
        #"http URL/post <<<'{"name": "John"}'"#, #"http --ignore-stdin GET URL/get | http POST URL/post"#,
        #"cat files/text.txt | http POST URL/post Content-Type:text/plain"#,
        #"http --raw 'Hello, world!' URL/post"#, #"http --raw '{"name": "John"}' URL/post"#,
        #"http --raw a=1 --form URL/post"#, #"http PUT URL/put @files/data.xml 'Accept:*/*'"#,
        #"http --chunked PUT URL/put hello=world"#,
        #"http --chunked --multipart PUT URL/put hello=world foo@files/data.xml"#,
        #"cat files/data.xml | http --chunked URL/post"#, #"http --stream URL/stream/3"#,
        #"http -o file.zip URL/file"#,
        #"http -f POST URL/post X-API-Key:123 User-Agent:Bacon/1.0 name=value name2=value2"#,
        // Sessions.
        #"""
        http --session=logged-in -a username:password URL/get API-Key:123 && \
            http --session=logged-in URL/headers
        """#,
        #"http --session=user1 -a user1:password URL/get X-Foo:Bar && http --session=user1 URL/get"#,
        #"http --session=user2 URL/cookies/set && http --session=user2 URL/cookies"#,
        #"http --session=./session.json URL/headers API-Token:123 && http --session=./session.json URL/headers"#,
    ]

    /// Lines for which one part of the request differs, as the article says.
    static let differing = [
        (#"http PUT URL/put @files/data.xml"#, ["accept"]), (#"http --chunked URL/post @files/data.xml"#, ["accept"]),
        (#"http --json URL/get"#, ["content-type"]), (#"true | http POST URL/post"#, ["accept", "content-type"]),
        (#"http -xx PUT URL/put hello=world"#, ["body", "content-encoding"]),
        (#"cat files/data.xml | http --compress URL/post"#, ["body", "content-encoding"]),
        (#"http --form URL/post a:=true"#, ["body"]), (#"http URL/post a:=1.50 b:=1e2"#, []),
    ]

    /// Lines that are written in another way here, and what the message about HTTPie's says.
    static let translated = [
        (#"http --verify=no URL/get"#, #"http --insecure URL/get"#, "Write --insecure for no check"),
        (#"http --verify=ca.pem URL/get"#, #"http --cacert ca.pem URL/get"#, "--cacert FILE for authorities"),
        (
            #"http --cert=ca.pem --cert-key=ca.pem --cert-key-pass=x URL/get"#,
            #"http --cert=ca.pem --key=ca.pem --pass=x URL/get"#, "Write --key FILE."
        ),
        (#"http --ssl=tls1.2 URL/get"#, #"http --tls-min 1.2 URL/get"#, "Write --tls-min VERSION"),
        (#"http --ciphers=ECDHE-RSA-AES128-GCM-SHA256 URL/get"#, #"http URL/get"#, "--tls-min VERSION leaves out"),
        (#"http --max-headers=100 URL/get"#, #"http URL/get"#, "It is not needed"),
        (#"http --ignore-netrc localhost:PORT/netrc"#, #"http localhost:PORT/netrc"#, "read with --netrc only"),
        (
            #"http --proxy=http:URL http://example.test/x"#, #"http --proxy URL http://example.test/x"#,
            "without “http:”"
        ),
        (#"http -F URL/redirect/3"#, #"http URL/redirect/3"#, "HTTPie's -F is the default"),
        (#"http -b URL/get"#, #"http --body URL/get"#, "--body for HTTPie's"),
        (#"http -m URL/get"#, #"http --meta URL/get"#, "--meta for HTTPie's"),
        (#"http -S URL/stream/3"#, #"http --stream URL/stream/3"#, "HTTPie's -S is --stream"),
        (#"http -s monokai URL/get"#, #"http --style dark URL/get"#, "HTTPie's -s is --style"),
        (
            #"http --format-options headers.sort:false,json.sort_keys:false,json.indent:2 URL/get"#,
            #"http --pretty=format URL/get"#, "--pretty says what is done"
        ),
        (#"http --unsorted URL/get"#, #"http URL/get"#, "the order is always that of the server"),
        (
            #"http -A digest -a foo:bar --all -p Hh -P H URL/digest-auth/auth/foo/bar"#,
            #"http -A digest -a foo:bar --all -p Hh URL/digest-auth/auth/foo/bar"#, "Write --all"
        ),
        (#"http -d URL/image/png"#, #"http -O URL/image/png"#, "-O for HTTPie's"),
        (#"http -dco file.zip URL/file"#, #"http --continue -o file.zip URL/file"#, "-O for HTTPie's"),
        (#"http -c -d -o file.zip URL/file"#, #"http --continue -o file.zip URL/file"#, "--continue for HTTPie's"),
    ]

    /// Lines that no program of the two sends.
    static let refused = [
        #"http URL/post 'foo[bar]=OK' 'foo[baz][quux=FAIL'"#,
        #"http URL/post 'array[]:=1' 'array[]:=2' 'array[key]:=3'"#,
        #"http URL/post 'foo]=x'"#, #"http URL/post 'a:=nope'"#, #"http URL/post word"#,
        #"http URL/post name=@files/missing.txt"#, #"http URL/post cv@files/text.txt"#, #"http URL/post --raw x a=1"#,
        #"http --print=x URL/get"#, #"http --timeout=soon URL/get"#,
    ]
}
