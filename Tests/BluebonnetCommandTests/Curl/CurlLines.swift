/// Lines for curl, in which `URL` stands for that of the server, `HOST` for its address and its
/// port, and `PORT` for the port.
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
        #"curl -x URL http://example.test/path"#,
        #"curl --proxy URL -U ada:secret http://example.test/"#,
        #"curl -x URL -H 'X-A: 1' -d a=1 'http://example.test/x?y=z'"#,
        #"curl -x URL --proxy-user ada:secret --proxy-basic http://example.test/"#,
        #"curl --digest -u ada:secret URL"#,
        #"curl --basic -u ada:secret URL"#,
        #"curl -n URL"#,
        #"curl -b jar.txt -c jar.txt URL"#,
        #"curl -b '' URL"#,
        #"curl -sS -XPOST -H 'Content-Type: application/json' --data '{"a":1}' URL/api"#,
        #"""
        curl --request POST --url URL/v1/x --header 'Authorization: Bearer a' \
          --header 'Content-Type: application/json' --data '{"a": 1}'
        """#,
        #"""
        curl -L -X POST -H "Accept: application/vnd.github+json" -H "Authorization: Bearer <TOKEN>" \
          -H "X-GitHub-Api-Version: 2022-11-28" URL/repos/O/R/issues \
          -d '{"title":"Found a bug","labels":["bug"]}'
        """#,
        #"curl URL/v1/charges -u sk_test_x: -d amount=2000 -d currency=usd -d "metadata[order_id]=6735""#,
        #"curl -XGET "URL/_search?pretty" -H 'Content-Type: application/json' -d'{"query":{"match_all":{}}}'"#,
        #"curl -X POST --data-urlencode 'payload={"channel": "@x", "text": "hi <https://a.b>"}' URL"#,
        #"curl -X PUT -T photo.png -H "x-amz-acl: public-read" URL/bucket/photo.png"#,
        #"curl -F 'file=@photo.png' -F 'json={"a":1};type=application/json' URL"#,
        #"curl -F 'f=@photo.png;type=image/png;filename=x.png' -F 'g=@lines.txt' URL"#,
        #"curl --form-string 'a=<b>' --form-string 'c=@d' URL"#,
        #"curl -G --data-urlencode 'q=ä ö' --data-urlencode 'r=1+1' URL/s"#,
        #"curl -G --data-urlencode name@lines.txt URL"#,
        #"curl --url-query 'q=ä' --url-query b=2 URL"#,
        #"curl -r -500 URL"#,
        #"curl -r 0-1,5-9 URL"#,
        #"curl -e http://a.example/ -A agent -H 'X-C: d' URL"#,
        #"curl -H 'Content-Length: 3' -d a=1 URL"#,
        #"curl -H 'Expect:' -d a=1 URL"#,
        #"curl -H 'Accept: text/a' -H 'Accept: text/b' URL"#,
        #"curl --head -H 'X-A: b' URL"#,
        #"curl 'URL/a%20b?c=%7B%7D'"#,
        #"curl 'URL/a;b=c/d,e/f@g/h:i/j!k/$l/*m(n)'"#,
        #"curl -g 'URL?a[]=1&a[]=2'"#,
        #"curl -d 'a[]=1' -d 'a[]=2' URL"#,
        #"curl -d a=1 --data-urlencode b=ü --data-binary c=3 --data-raw d=4 URL"#,
        #"curl -X PUT --data-binary '@data.json' -H 'Content-Type: application/octet-stream' URL"#,
        #"curl -T data.json -H 'Expect:' URL/x"#,
        #"curl -T photo.png -u ada:secret URL/dav/"#,
        #"curl --json '[1]' -u ada:secret 'URL/x?y=z'"#,
        #"curl -s -o /dev/null -A x URL"#,
        #"curl --max-time 10 --retry 3 --connect-timeout 5 -fsSL URL"#,
        #"curl -4 -sS --tlsv1.3 --http1.1 URL"#,
        #"curl -k -L -v -i -s URL -o out.txt"#,
        #"curl -u 'user@example.org:p:a/ss' URL"#,
        #"curl http://ada:secret@HOST/x"#,
        #"curl http://ada:p%40ss@HOST/x"#,
        #"curl HOST/a"#,
        #"curl HTTP://HOST/a"#,
        #"curl http://HOST?a=b"#,
        #"curl --resolve example.test:PORT:127.0.0.1 http://example.test:PORT/x"#,
        #"curl --connect-to example.test:80:HOST http://example.test/x"#,
        #"curl -H 'Host: a.example' -H 'X-Forwarded-For: 1.2.3.4' URL"#,
        #"curl -X OPTIONS -H 'Origin: https://a.example' -H 'Access-Control-Request-Method: PUT' URL/cors"#,
        #"curl -H 'If-Modified-Since: Sat, 29 Oct 1994 19:43:31 GMT' URL"#,
        #"curl -H "Content-Type: application/x-ndjson" --data-binary $'{"a":1}\n{"b":2}\n' URL/_bulk"#,
        #"curl -d 'a=1&b=2' -X PUT URL --compressed"#,
        #"curl -d '' -X DELETE URL"#,
        #"curl -H 'TE: trailers' URL"#,
        #"""
        curl 'URL/x' --compressed \
          -H 'User-Agent: Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0' \
          -H 'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' \
          -H 'Accept-Language: en-US,en;q=0.5' -H 'Accept-Encoding: gzip, deflate, br, zstd' \
          -H 'Connection: keep-alive' -H 'Cookie: a=b; c=d' -H 'Upgrade-Insecure-Requests: 1' \
          -H 'Sec-Fetch-Dest: document' -H 'Sec-Fetch-Mode: navigate' -H 'Sec-Fetch-Site: none' \
          -H 'Sec-Fetch-User: ?1' -H 'Priority: u=0, i' -H 'TE: trailers'
        """#,
        #"""
        curl 'URL/graphql' -H 'accept: */*' -H 'content-type: application/json' -b '_ga=GA1.1; s=abc%3D' \
          -H 'origin: https://a.example' -H 'priority: u=1, i' -H 'referer: https://a.example/' \
          -H 'sec-fetch-mode: cors' \
          --data-raw $'{"query":"query { a(b: \\"c\\") { d\u0021 } }","variables":{"e":"it\'s"}}'
        """#,
        #"""
        curl 'URL/upload' -X POST -H 'Content-Type: multipart/form-data; boundary=----geckoformboundary1' \
          --data-binary $'------geckoformboundary1\r\nContent-Disposition: form-data; name="a"; filename="b.txt"\r\nContent-Type: text/plain\r\n\r\nhi\n\r\n------geckoformboundary1--\r\n'
        """#,
        #"curl URL -H "X-Dollar: a\$b" -H "X-Tick: a\`b""#,
        #"curl -d "it's \"quoted\" \\ and 100%" URL"#,
        #"curl --data-urlencode "a=it's 100% & more" URL"#,
        #"curl -F 'a=b,c' -F 'd=e=f' URL"#,
        #"curl -F 'a=ü' -F 'ü=b' URL"#,
        #"curl -F 'f=@photo.png;filename=ü.png' URL"#,
        #"curl -F "f=@photo.png;filename=a\\\"b.png" URL"#,
        #"curl -F a=1 --compressed -H 'Accept: application/json' URL"#,
        #"curl -F 'f=@lines.txt;type=text/plain; charset=utf-8' URL"#,
        #"curl --oauth2-bearer token -d a=1 URL"#,
        #"curl -L --max-redirs -1 URL"#,
        #"curl -H 'X-A;' -H 'X-B:' -H 'X-C: ' URL"#,
        #"curl -XPATCH -d @data.json -H "Content-Type: application/merge-patch+json" -H 'If-Match: "1"' URL/x"#,
        #"curl -T - URL/x"#,
        #"curl --upload-file photo.png --url URL/up/"#,
        #"curl -Lo out.txt URL/a"#,
        #"curl -LsSfo out.txt URL/a"#,
        #"curl -sXPOST URL"#,
        #"curl -vvv URL"#,
        #"curl -HAccept:text/html -uada:secret URL"#,
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
        (#"curl --proxy-http2 --http1.1 URL"#, #"--proxy-http2"#),
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
        (#"curl -OJ URL/a"#, #"-J"#),
        (#"curl --create-dirs -o a/b URL"#, #"--create-dirs"#),
        (#"curl -R -O URL/a"#, #"-R"#),
        (#"curl --retry 2 --retry-delay 1 URL"#, #"--retry-delay"#),
        (#"curl --request-target /x URL"#, #"--request-target"#),
        (#"curl --trace - URL"#, #"--trace"#),
        (#"curl --http1.0 URL"#, #"--http1.0"#),
        (#"curl -t a=b URL"#, #"-t"#),
        (#"curl -T '{a,b}' URL"#, #"No such file"#),
    ]
}
