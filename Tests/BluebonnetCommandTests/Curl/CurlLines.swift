/// Lines for curl, in which `URL` stands for that of the server.
enum CurlLines {
    /// Lines that are understood: browsers copied some of them.
    static let understood = [
        #"curl URL"#,
        #"curl URL/"#,
        #"curl URL/a/b?c=d"#,
        #"curl 'URL/a?b=c&d=e'"#,
        #"curl "URL/a?b=c&d=e""#,
        #"curl URL/a\?b=c\&d=e"#,
        #"curl URL/a#fragment"#,
        #"curl 'URL/a?b#fragment'"#,
        #"curl --url URL/a"#,
        #"curl -- URL/a"#,
        #"$ curl URL/a"#,
        #"curl -s URL"#,
        #"curl -sS URL"#,
        #"curl -sSL URL"#,
        #"curl -fsSL URL/install.sh"#,
        #"curl -fsSLk URL"#,
        #"curl -v URL"#,
        #"curl -i URL"#,
        #"curl -I URL"#,
        #"curl --head URL/a"#,
        #"curl -k URL"#,
        #"curl --insecure URL"#,
        #"curl -L URL"#,
        #"curl --location URL"#,
        #"curl -L --max-redirs 3 URL"#,
        #"curl -X GET URL"#,
        #"curl -XGET URL"#,
        #"curl -X POST URL"#,
        #"curl -X DELETE URL/a/1"#,
        #"curl -X PUT URL/a"#,
        #"curl -X PATCH URL/a -d '{"a":1}'"#,
        #"curl --request OPTIONS URL"#,
        #"curl -X PROPFIND -H 'Depth: 1' URL/dav/"#,
        #"curl -X PURGE URL/a"#,
        #"curl -H 'Accept: application/json' URL"#,
        #"curl -H "Accept: application/json" -H 'X-A: 1' URL"#,
        #"curl -H 'X-A:1' URL"#,
        #"curl -H 'X-A:    spaced   ' URL"#,
        #"curl -H 'X-A: a:b;c' URL"#,
        #"curl -H 'X-A: 1' -H 'X-A: 2' URL"#,
        #"curl -H 'X-Empty;' URL"#,
        #"curl -H 'Accept:' URL"#,
        #"curl -H 'User-Agent:' URL"#,
        #"curl -H 'User-Agent: Mozilla/5.0 (X11; Linux x86_64)' URL"#,
        #"curl -H 'Host: example.org' URL"#,
        #"curl -H 'Cookie: a=b; c=d' URL"#,
        #"curl -H 'Authorization: Bearer abc.def' URL"#,
        #"curl -H 'Authorization: Basic YTpi' URL"#,
        #"curl -H 'Referer: http://example.org/' URL"#,
        #"curl -H 'If-None-Match: "abc"' URL"#,
        #"curl -H "X-Quote: it's" URL"#,
        #"curl -H 'X-Quote: it'\''s' URL"#,
        #"curl -H $'X-Quote: it\'s' URL"#,
        #"curl -H $'X-Accent: caf\u00e9' URL"#,
        #"curl -HX-A:1 URL"#,
        #"curl --header 'X-A: 1' URL"#,
        #"curl -A 'agent/1.0' URL"#,
        #"curl --user-agent agent URL"#,
        #"curl -A '' URL"#,
        #"curl -e http://example.org/from URL"#,
        #"curl --referer http://example.org/ URL"#,
        #"curl -b 'a=b' URL"#,
        #"curl -b 'a=b; c=d' URL"#,
        #"curl --cookie a=b --cookie c=d URL"#,
        #"curl -u ada:secret URL"#,
        #"curl -u 'ada:se:cr@et' URL"#,
        #"curl --user ada: URL"#,
        #"curl --oauth2-bearer token URL"#,
        #"curl -r 0-99 URL"#,
        #"curl --range 5- URL"#,
        #"curl --compressed URL"#,
        #"curl --compressed -H 'Accept-Encoding: gzip, deflate' URL"#,
        #"curl -d a=1 URL"#,
        #"curl -d 'a=1&b=2' URL"#,
        #"curl -d a=1 -d b=2 URL"#,
        #"curl -da=1 URL"#,
        #"curl --data a=1 URL"#,
        #"curl --data-ascii a=1 URL"#,
        #"curl -d '' URL"#,
        #"curl -d 'a b&c=ä' URL"#,
        #"curl -d '{"a":1}' -H 'Content-Type: application/json' URL"#,
        #"curl -H "Content-Type: application/json" -d "{\"a\":\"b\"}" URL"#,
        #"curl -d "{\"a\": \"\\n\"}" URL"#,
        #"curl -X POST -d '<a/>' -H 'Content-Type: text/xml' URL"#,
        #"curl -X GET -d a=1 URL"#,
        #"curl -X DELETE -d a=1 URL"#,
        #"curl -H 'Content-Type:' -d a=1 URL"#,
        #"curl -H 'Content-Type;' -d a=1 URL"#,
        #"curl -d @data.json URL"#,
        #"curl -d @data.json -H 'Content-Type: application/json' URL"#,
        #"curl -d @lines.txt URL"#,
        #"curl -d a=1 -d @lines.txt URL"#,
        #"curl --data-raw a=1 URL"#,
        #"curl --data-raw '@not-a-file' URL"#,
        #"curl --data-raw '' URL"#,
        #"curl --data-raw $'a\nb' URL"#,
        #"curl --data-raw $'\xff\xfe' URL"#,
        #"curl --data-raw $'{"a":"\u00fc\\"}' URL"#,
        #"curl --data-raw $'tab\there\x21\041' URL"#,
        #"curl --data-raw $'\U0001F600' URL"#,
        #"curl --data-binary a=1 URL"#,
        #"curl --data-binary @data.json URL"#,
        #"curl --data-binary @photo.png URL"#,
        #"curl --data-binary @photo.png -H 'Content-Type: image/png' URL"#,
        #"curl --data-binary @lines.txt --data-binary @data.json URL"#,
        #"curl --data-urlencode 'a=b c&d' URL"#,
        #"curl --data-urlencode 'é ü' URL"#,
        #"curl --data-urlencode '=a=b' URL"#,
        #"curl --data-urlencode @lines.txt URL"#,
        #"curl --data-urlencode name@lines.txt URL"#,
        #"curl --data-urlencode 'a=1' -d b=2 URL"#,
        #"curl --json '{"a":1}' URL"#,
        #"curl --json '{"a":' --json '1}' URL"#,
        #"curl --json @data.json URL"#,
        #"curl --json '{}' -H 'Content-Type: application/x+json' URL"#,
        #"curl --json '{}' -H 'Accept: text/plain' URL"#,
        #"curl --json '{}' -X PUT URL"#,
        #"curl -G -d a=1 URL"#,
        #"curl -G -d a=1 -d b=2 URL/x"#,
        #"curl -G -d a=1 'URL/x?y=z'"#,
        #"curl -G --data-urlencode 'q=a b&c' URL"#,
        #"curl --get --data a=1 URL"#,
        #"curl -I -G -d a=1 URL"#,
        #"curl --url-query a=1 URL"#,
        #"curl --url-query 'a=b c' 'URL?x=y'"#,
        #"curl --url-query +a=b URL"#,
        #"curl -d c=1 --url-query a=b URL"#,
        #"curl -F a=1 URL"#,
        #"curl -F a=1 -F b=2 URL"#,
        #"curl -F 'a=x y&z' URL"#,
        #"curl -F 'a="x;y"' URL"#,
        #"curl -F 'a="x\"y\\z"' URL"#,
        #"curl -F a= URL"#,
        #"curl -F photo=@photo.png URL"#,
        #"curl -F photo=@photo.png -F a=1 URL"#,
        #"curl -F a=1 -F photo=@photo.png -F b=2 URL"#,
        #"curl -F 'f=@photo.png;type=image/x-y' URL"#,
        #"curl -F 'f=@photo.png;filename=b.png' URL"#,
        #"curl -F 'f=@photo.png;filename="b c.png";type=image/png' URL"#,
        #"curl -F 'f=@data.json' URL"#,
        #"curl -F 'f=@lines.txt' URL"#,
        #"curl -F 'f=<lines.txt' URL"#,
        #"curl -F 'f=<lines.txt;type=text/plain' URL"#,
        #"curl -F 'f={"a":1};type=application/json' URL"#,
        #"curl -F 'f=@"photo.png"' URL"#,
        #"curl --form a=1 --form-string 'b=@c;d' URL"#,
        #"curl --form-string b=1 URL"#,
        #"curl -X PUT -F a=1 URL"#,
        #"curl -F a=1 -H 'Content-Type: multipart/form-data' URL"#,
        #"curl -T photo.png URL/"#,
        #"curl -T photo.png URL/dir/"#,
        #"curl -T photo.png URL/dir/other.png"#,
        #"curl -T data.json URL"#,
        #"curl --upload-file data.json URL/x"#,
        #"curl -T data.json -X POST URL/x"#,
        #"curl -T data.json -H 'Content-Type: application/json' URL/x"#,
        #"curl -H 'Transfer-Encoding: chunked' -d a=1 URL"#,
        #"curl -m 5 URL"#,
        #"curl --max-time 5.5 --connect-timeout 2 URL"#,
        #"curl --retry 2 URL"#,
        #"curl -o out.txt URL/a"#,
        #"curl -O URL/name.txt"#,
        #"curl --output out.txt URL/a"#,
        #"curl -o /dev/null -s URL"#,
        #"curl -4 URL"#,
        #"curl --http1.1 URL"#,
        #"curl -q -s URL"#,
        #"curl --no-keepalive URL"#,
        #"curl --no-progress-meter URL"#,
        #"curl -N URL"#,
        #"curl -# URL"#,
        #"curl -x '' URL"#,
        #"curl --noproxy '*' URL"#,
        #"curl --noproxy localhost -x '' URL"#,
        #"curl --resolve example.org:1:127.0.0.1 URL"#,
        #"curl --interface 127.0.0.1 URL"#,
        #"curl --connect-to ::127.0.0.1: URL"#,
        #"curl --tlsv1.2 URL"#,
        #"curl -g 'URL/a[1]'"#,
        #"curl -g 'URL/{a}'"#,
        #"curl URL/a/../b/./c"#,
        #"curl --path-as-is URL/a/../b"#,
        #"curl URL/a/.."#,
        #"curl URL/%7Ea%2Fb"#,
        #"curl 'URL/?a=%20+%2B'"#,
        #"curl URL -H 'X-A: 1'"#,
        #"""
        curl 'URL' \
          -H 'accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' \
          -H 'accept-language: en-US,en;q=0.9' \
          -H 'cache-control: no-cache' \
          -H 'cookie: _ga=GA1.1; session=abc%3D' \
          -H 'pragma: no-cache' \
          -H 'sec-ch-ua: "Chromium";v="130", "Not?A_Brand";v="99"' \
          -H 'sec-ch-ua-mobile: ?0' \
          -H 'sec-ch-ua-platform: "Linux"' \
          -H 'upgrade-insecure-requests: 1' \
          -H 'user-agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36'
        """#,
        #"""
        curl 'URL/api' --compressed -X POST \
          -H 'User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0' \
          -H 'Accept: */*' \
          -H 'Accept-Language: en-US,en;q=0.5' \
          -H 'Accept-Encoding: gzip, deflate, br, zstd' \
          -H 'Content-Type: application/json' \
          -H 'Origin: https://example.org' \
          -H 'DNT: 1' \
          -H 'Connection: keep-alive' \
          --data-raw '{"query":"{ a(b: \"c\") }"}'
        """#,
        #"""
        curl 'URL/form' \
          -X 'POST' \
          -H 'Content-Type: application/x-www-form-urlencoded; charset=UTF-8' \
          --data-raw 'a=1&b=%C3%A9&c=' --insecure
        """#,
        #"""
        curl 'URL/up' \
          -H 'content-type: multipart/form-data; boundary=----WebKitFormBoundaryABC' \
          --data-raw $'------WebKitFormBoundaryABC\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n------WebKitFormBoundaryABC--\r\n'
        """#,
        #"curl 'URL/json' -H 'content-type: application/json' --data-raw $'{"text":"it\'s \u0021 \\n \u2028"}'"#,
        #"""
        curl "URL/safari" -X POST \
          -H "Content-Type: text/plain;charset=UTF-8" \
          -H "Priority: u=3, i" \
          --data-binary "hello \$world"
        """#,
        #"""
        curl 'URL/a' \
          -H 'X-A: 1' \
          -H 'X-B: 2'
        """#,
        #"""
        curl URL \
          --request POST \
          \
          --header 'Content-Type: application/json' \
          \
          --data '{
          "a": 1,
          "b": [true, null]
        }'
        """#,
        #"""
        curl \
          --location 'URL/x?y=1' \
        --header 'Content-Type: application/x-www-form-urlencoded' \
        --data-urlencode 'a=b c' \
        --data-urlencode 'd=e'
        """#,
        #"curl URL/a   # a comment"#,
        #"curl   URL/spaces  "#,
    ]

    /// Lines that are refused, and what the message names.
    static let refused = [
        (#"curl URL URL"#, #"more than one URL"#),
        (#"curl"#, #"no URL"#),
        (#"wget URL"#, #"does not begin with curl"#),
        (#"curl --next URL"#, #"--next"#),
        (#"curl -K file URL"#, #"-K"#),
        (#"curl -w '%{http_code}' URL"#, #"-w"#),
        (#"curl -D - URL"#, #"-D"#),
        (#"curl -C - URL"#, #"-C"#),
        (#"curl -z 2020-01-01 URL"#, #"-z"#),
        (#"curl --http3 URL"#, #"--http3"#),
        (#"curl --http2 URL"#, #"--http2"#),
        (#"curl -0 URL"#, #"-0"#),
        (#"curl --ntlm -u a:b URL"#, #"--ntlm"#),
        (#"curl --negotiate -u : URL"#, #"--negotiate"#),
        (#"curl --anyauth -u a:b URL"#, #"--anyauth"#),
        (#"curl --aws-sigv4 aws:amz URL"#, #"--aws-sigv4"#),
        (#"curl --limit-rate 1k URL"#, #"--limit-rate"#),
        (#"curl --max-filesize 10 URL"#, #"--max-filesize"#),
        (#"curl -Z URL"#, #"-Z"#),
        (#"curl --ciphers DEFAULT URL"#, #"--ciphers"#),
        (#"curl --tls-max 1.2 URL"#, #"--tls-max"#),
        (#"curl --location-trusted URL"#, #"--location-trusted"#),
        (#"curl --post302 -L URL"#, #"--post302"#),
        (#"curl --dns-servers 1.1.1.1 URL"#, #"--dns-servers"#),
        (#"curl --proto -all URL"#, #"--proto"#),
        (#"curl -b cookies.txt URL"#, #"-b"#),
        (#"curl -c cookies.txt URL"#, #"-c"#),
        (#"curl -e 'x;auto' URL"#, #"-e"#),
        (#"curl -F 'a=@photo.png,data.json' URL"#, #"-F"#),
        (#"curl -F 'a=x;headers="X: 1"' URL"#, #";headers="#),
        (#"curl -F 'a=@photo.png;encoder=base64' URL"#, #";encoder="#),
        (#"curl -F a URL"#, #"-F"#),
        (#"curl -F a=1 -d b=2 URL"#, #"more than one body"#),
        (#"curl -T a -d b URL"#, #"more than one body"#),
        (#"curl 'URL/[1-3]'"#, #"-g"#),
        (#"curl 'URL/{a,b}'"#, #"-g"#),
        (#"curl -H @headers.txt URL"#, #"-H"#),
        (#"curl URL/a?b=c&d=e"#, #"outside of quotes"#),
        (#"curl URL | jq ."#, #"outside of quotes"#),
        (#"curl URL > file"#, #"outside of quotes"#),
        (#"curl "URL/$PATH""#, #"only a shell"#),
        (#"curl "URL/$(date)""#, #"only a shell"#),
        (#"curl `echo URL`"#, #"only a shell"#),
        (#"curl 'URL"#, #"not closed"#),
        (#"curl -H "a: b URL"#, #"not closed"#),
        (#"curl -X"#, #"value of -X"#),
        (#"curl --nope URL"#, #"--nope"#),
        (#"curl -y 1 URL"#, #"-y"#),
        (#"curl -m soon URL"#, #"-m"#),
        (#"curl --data=a URL"#, #"--data=a"#),
        (#"curl -d $'a\x00b' URL"#, #"NUL"#),
    ]
}
