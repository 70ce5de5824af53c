#if Images
    import Foundation

    /// Small images, written by Pillow. Those of 3 × 2 pixels have a red, a green and a blue one in
    /// the first row, a white, a black and a grey one in the second; the turned ones have the
    /// orientation 6.
    enum SampleImage {
        static let bmp = data(
            """
            Qk1OAAAAAAAAADYAAAAoAAAAAwAAAAIAAAABABgAAAAAABgAAADEDgAAxA4AAAAAAAAAAAAA////AAAAgICA\
            AAAAAAD/AP8A/wAAAAAA
            """
        )
        static let gif = data(
            """
            R0lGODdhAwACAIIAAP///4CAgAD/AP8AAAAA/wAAAAAAAAAAACwAAAAAAwACAAAICQAHCCAAoECAgAA7
            """
        )
        static let tiff = data(
            """
            SUkqAAgAAAAKAAABBAABAAAAAwAAAAEBBAABAAAAAgAAAAIBAwADAAAAhgAAAAMBAwABAAAAAQAAAAYBAwAB\
            AAAAAgAAABEBBAABAAAAjAAAABUBAwABAAAAAwAAABYBBAABAAAAAgAAABcBBAABAAAAEgAAABwBAwABAAAA\
            AQAAAAAAAAAIAAgACAD/AAAA/wAAAP////8AAACAgIA=
            """
        )
        static let webp = data(
            """
            UklGRjgAAABXRUJQVlA4TCsAAAAvAkAAAC8gECBIV25DQFB03XICAYJ05eY/QGxybBUoSNuAxd1Tsoj+x9UB\
            AA==
            """
        )
        static let turnedWebP = data(
            """
            UklGRmwAAABXRUJQVlA4WAoAAAAIAAAAAgAAAQAAVlA4TCsAAAAvAkAAAC8gECBIV25DQFB03XICAYJ05eY/\
            QGxybBUoSNuAxd1Tsoj+x9UBAEVYSUYaAAAATU0AKgAAAAgAAQESAAMAAAABAAYAAAAAAAA=
            """
        )
        static let turnedTIFF = data(
            """
            SUkqAB4AAAB4nPvPwMDwH4SBAEg1NDQAAETQB3sACwAAAQMAAQAAAAMAAAABAQMAAQAAAAIAAAACAQMAAwAA\
            AKgAAAADAQMAAQAAAAgAAAAGAQMAAQAAAAIAAAARAQQAAQAAAAgAAAASAQMAAQAAAAYAAAAVAQMAAQAAAAMA\
            AAAWAQMAAQAAAAIAAAAXAQQAAQAAABUAAAAcAQMAAQAAAAEAAAAAAAAACAAIAAgA
            """
        )
        static let turnedPNG = data(
            """
            iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAGmVYSWZNTQAqAAAACAABARIAAwAAAAEABgAA\
            AAAAANZnS2kAAAAaSURBVHicBcGBAQAgCMAg7HK9fIEQesrYvQ8+8gaAHPjnzgAAAABJRU5ErkJggg==
            """
        )
        static let avif = data(
            """
            AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUEAAADrbWV0YQAAAAAAAAAhaGRscgAAAAAAAAAAcGlj\
            dAAAAAAAAAAAAAAAAAAAAAAOcGl0bQAAAAAAAQAAAB5pbG9jAAAAAEQAAAEAAQAAAAEAAAETAAABUQAAAChp\
            aW5mAAAAAAABAAAAGmluZmUCAAAAAAEAAGF2MDFDb2xvcgAAAABqaXBycAAAAEtpcGNvAAAAFGlzcGUAAAAA\
            AAAAEAAAAAgAAAAQcGl4aQAAAAADCAgIAAAADGF2MUOBIAAAAAAAE2NvbHJuY2x4AAEADQAGgAAAABdpcG1h\
            AAAAAAAAAAEAAQQBAoMEAAABWW1kYXQSAAoIOAy/sICGg0gywgIQAAD9vNDwiPCRKjEAdYacWpwotXEQpY5S\
            AvOf9o3xa/+zkNZwBRyPzww4Y7EgjI31mqKoFqcMgv/XUGRIrJESFDCbG69/6uVJJmYi8UUimDA8HL2HWDWa\
            wRmdSy9jotD33kBBTzaEZgyrIzTNSyYNjW3EhnX0JWh+SFTal7Dvyz78294i9Q5WwHdc6Re9TUddR9/Dz1cy\
            HPnMpr6lXHFLgzAKvWQEVzE+8vfUKGoYNQblWGMihBSW7JFLykwQJ9V0m3X4Rzjx94KGltpnKKsoEdSKrq81\
            8QBkekfCqg/Ae3VRsCsrV4hs6HzNFG2oaOOPNfiVc/bHRLA0dsH+ZHQWsZq2emm27iJnN9tEHhuo3+r+EF+h\
            GMiED2tScU7IHwIoQLky5uBE0geb8YmxzZal0WWfAH3I3+KjPz4dO/uaMm91
            """
        )
        static let turnedJPEG = data(
            """
            /9j/4AAQSkZJRgABAQAAAQABAAD/4QAiRXhpZgAATU0AKgAAAAgAAQESAAMAAAABAAYAAAAAAAD/2wBDAAIB\
            AQEBAQIBAQECAgICAgQDAgICAgUEBAMEBgUGBgYFBgYGBwkIBgcJBwYGCAsICQoKCgoKBggLDAsKDAkKCgr/\
            2wBDAQICAgICAgUDAwUKBwYHCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoK\
            CgoKCgr/wAARCAAQABgDAREAAhEBAxEB/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAA\
            AgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJico\
            KSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWm\
            p6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEB\
            AQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAECAxEEBSExBhJBUQdhcRMiMoEI\
            FEKRobHBCSMzUvAVYnLRChYkNOEl8RcYGRomJygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0\
            dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6wsPExcbHyMnK0tPU1dbX2Nna4uPk\
            5ebn6Onq8vP09fb3+Pn6/9oADAMBAAIRAxEAPwD4vr+Uz/fw/Siv5bP+Fc/Buv8AtMP9WD+4iv8AAM/VD+AO\
            gD+gCgD/2Q==
            """
        )
        static let animatedGIF = data(
            """
            R0lGODlhBAAEAIEAAP8AAAAAAAAAAAAAACH/C05FVFNDQVBFMi4wAwECAAAh+QQABQAAACwAAAAABAAEAAAI\
            CQABCBxIsCCAgAAh+QQBAAABACwAAAAABAAEAIEA/wAAAAAAAAAAAAAICQABCBxIsCCAgAAh+QQBFAABACwA\
            AAAABAAEAIEAAP8AAAAAAAAAAAAICQABCBxIsCCAgAA7
            """
        )
        static let animatedWebP = data(
            """
            UklGRrQAAABXRUJQVlA4WAoAAAACAAAAAwAAAwAAQU5JTQYAAAAAAAAAAABBTk1GKAAAAAAAAAAAAAMAAAMA\
            ADIAAAJWUDhMDwAAAC8DwAAABxD9j/4HIqL/AQBBTk1GKAAAAAAAAAAAAAMAAAMAAAoAAABWUDhMDwAAAC8D\
            wAAAB9D/iP4HIqL/AQBBTk1GKAAAAAAAAAAAAAMAAAMAAMgAAABWUDhMDwAAAC8DwAAABxDR//4HIqL/AQA=
            """
        )
        static let iconWithBitmap = data(
            """
            AAABAAEAEBAAAAAAIAAoBAAAFgAAACgAAAAQAAAAIAAAAAEAIAAAAAAAAAQAAMQOAADEDgAAAAAAAAAAAAD/\
            /////////////////////////wAAAP8AAAD/AAAA/wAAAP8AAAD/AAAA/4CAgP+AgID/gICA/4CAgP+AgID/\
            //////////////////////////8AAAD/AAAA/wAAAP8AAAD/AAAA/wAAAP+AgID/gICA/4CAgP+AgID/gICA\
            ////////////////////////////AAAA/wAAAP8AAAD/AAAA/wAAAP8AAAD/gICA/4CAgP+AgID/gICA/4CA\
            gP///////////////////////////wAAAP8AAAD/AAAA/wAAAP8AAAD/AAAA/4CAgP+AgID/gICA/4CAgP+A\
            gID///////////////////////////8AAAD/AAAA/wAAAP8AAAD/AAAA/wAAAP+AgID/gICA/4CAgP+AgID/\
            gICA////////////////////////////AAAA/wAAAP8AAAD/AAAA/wAAAP8AAAD/gICA/4CAgP+AgID/gICA\
            /4CAgP///////////////////////////wAAAP8AAAD/AAAA/wAAAP8AAAD/AAAA/4CAgP+AgID/gICA/4CA\
            gP+AgID///////////////////////////8AAAD/AAAA/wAAAP8AAAD/AAAA/wAAAP+AgID/gICA/4CAgP+A\
            gID/gICA/wAA//8AAP//AAD//wAA//8AAP//AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD//wAA//8AAP//AAD/\
            /wAA//8AAP8AAP//AAD//wAA//8AAP//AAD//wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A//8AAP//AAD//wAA\
            //8AAP//AAD/AAD//wAA//8AAP//AAD//wAA//8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP//AAD//wAA//8A\
            AP//AAD//wAA/wAA//8AAP//AAD//wAA//8AAP//AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD//wAA//8AAP//\
            AAD//wAA//8AAP8AAP//AAD//wAA//8AAP//AAD//wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A//8AAP//AAD/\
            /wAA//8AAP//AAD/AAD//wAA//8AAP//AAD//wAA//8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP//AAD//wAA\
            //8AAP//AAD//wAA/wAA//8AAP//AAD//wAA//8AAP//AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD//wAA//8A\
            AP//AAD//wAA//8AAP8AAP//AAD//wAA//8AAP//AAD//wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A//8AAP//\
            AAD//wAA//8AAP//AAD/
            """
        )
        static let iconWithPNG = data(
            """
            AAABAAIAEBAAAAAAIAASAQAAJgAAACAgAAAAACAAfwAAADgBAACJUE5HDQoaCgAAAA1JSERSAAAAEAAAABAI\
            BgAAAB/z/2EAAADZSURBVHic3ZJNTgMxDEaf00RoNr0Bx2DDATgV0ixhxbZH4iC9QUUFTZN8LDJtPN2yqEQk\
            y/os+8k/QaCL5dT9PCOEUkbkJISY556Wsi9R4I/vHwAiZkPZYgjUHQxvNkIDIBc6uyIDkgdbT23rpiPbrVOC\
            YsAJDico1yw2pRAfMsQMJTnAfj8ApUCM8PEGj+8QE6FWmuD56ZOX1x1fxyPBggP4DqQ+KBMcltaXkWIpTNMP\
            tX4TggesdnCGlIA2dlC7lBm1BloL+OPdXMG4at0YrFIv7/4f6f6AX0BwYBBVTx7sAAAAAElFTkSuQmCCiVBO\
            Rw0KGgoAAAANSUhEUgAAACAAAAAgCAYAAABzenr0AAAARklEQVR4nO3VsQ0AIAwDQRsxeJjcrOAG0XzqV3RK\
            E0eKynFb1qG06vLRAAAAAAAAAAC20v9u2VU2c+qV3y8AAAAAAAAAALi42wfBX3iz1wAAAABJRU5ErkJggg==
            """
        )
        static let progressiveJPEG = data(
            """
            /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAIBAQEBAQIBAQECAgICAgQDAgICAgUEBAMEBgUGBgYFBgYGBwkI\
            BgcJBwYGCAsICQoKCgoKBggLDAsKDAkKCgr/2wBDAQICAgICAgUDAwUKBwYHCgoKCgoKCgoKCgoKCgoKCgoK\
            CgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgr/wgARCAAQABgDAREAAhEBAxEB/8QAFgABAQEAAAAA\
            AAAAAAAAAAAACQgH/8QAGAEAAwEBAAAAAAAAAAAAAAAAAAcICQb/2gAMAwEAAhADEAAAAcXVN/UorcK4N2mq\
            xxIB6oAQQAP/xAAUEAEAAAAAAAAAAAAAAAAAAAAg/9oACAEBAAEFAl//xAAUEQEAAAAAAAAAAAAAAAAAAAAg\
            /9oACAEDAQE/AV//xAAUEQEAAAAAAAAAAAAAAAAAAAAg/9oACAECAQE/AV//xAAUEAEAAAAAAAAAAAAAAAAA\
            AAAg/9oACAEBAAY/Al//xAAUEAEAAAAAAAAAAAAAAAAAAAAg/9oACAEBAAE/IV//2gAMAwEAAgADAAAAEAAA\
            P//EABQRAQAAAAAAAAAAAAAAAAAAACD/2gAIAQMBAT8QX//EABQRAQAAAAAAAAAAAAAAAAAAACD/2gAIAQIB\
            AT8QX//EABQQAQAAAAAAAAAAAAAAAAAAACD/2gAIAQEAAT8QX//Z
            """
        )

        /// 64 × 48 pixels, the left half red, the right half blue: a grid of one picture of 64 × 64
        /// pixels. Written by heif-enc.
        static let heif = data(
            """
            AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAa1tZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAA\
            AAAAAAAAAAAAAA5waXRtAAAAAAACAAAAEGlkYXQAAAAAAEAAMAAAADhpbG9jAQAAAERAAAIAAQAAAAAAAAHRAAEA\
            AAAAAAAAJQACAAEAAAAAAAAAAQAAAAAAAAAIAAAAOGlpbmYAAAAAAAIAAAAVaW5mZQIAAAEAAQAAaHZjMQAAAAAV\
            aW5mZQIAAAAAAgAAZ3JpZAAAAADYaXBycAAAALZpcGNvAAAAdmh2Y0MBA3AAAAAAAAAAAAAe8AD8/fj4AAAPAyAA\
            AQAYQAEMAf//A3AAAAMAkAAAAwAAAwAeugJAIQABACpCAQEDcAAAAwCQAAADAAADAB6gIIEFlurkprm4EBAwIAAA\
            AwAgAAADACEiAAEABkQBwXPAiQAAABRpc3BlAAAAAAAAAEAAAABAAAAAFGlzcGUAAAAAAAAAQAAAADAAAAAQcGl4\
            aQAAAAADCAgIAAAAGmlwbWEAAAAAAAAAAgABAoECAAICA4QAAAAaaXJlZgAAAAAAAAAOZGltZwACAAEAAQAAAC1t\
            ZGF0AAAAISgBrxmA70mlv//ihh/5rWv+v7IX//LxJ34ken/W5ENtbw==
            """
        )
        /// Those of 3 × 2 pixels, written by cjxl.
        static let jpegXL = data(
            """
            /woIQBBQXAgIAgEAlABLGIsVUmyA3tBzy+FVZKXJ6QBD+/ndSjRAvXU/6hR+/s/wZ/YL
            """
        )
        /// Three frames of 4 × 4 pixels: red, green, blue.
        static let animatedJPEGXL = data(
            """
            /woYEMEAEopLAgASUEZQANQAXeUSAAAVKqOMG7yc6/nyQ4fFtI3rDG21bWFJosg4NkkncEgSi8DGBXgDA4Axc9gE\
            D5SokgQAEpBMUADYAF3lEgAAFSqjjBu8nOv58kOHxbSN6wxttW1hSaLIODZJJ3BIEsvAxgUYhgEEYOY0m39gNJUk\
            AAAS0DIKANAAXeUSAAAVKqOMG7yc6/nyQ4fFtI3rDG21bWFJosg4NkkncEgSC8DGBYiBAbCZ+8wPlFhJAg==
            """
        )
        /// The same frames.
        static let animatedPNG = data(
            """
            iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAIAAAAmkwkpAAAACGFjVEwAAAADAAAAAM7tusAAAAAaZmNUTAAAAAAA\
            AAAEAAAABAAAAAAAAAAAADID6AAACSBqlwAAABBJREFUeJxj+M/AAEcMxHEArpMP8dBfI54AAAAaZmNUTAAAAAEA\
            AAAEAAAABAAAAAAAAAAAAGQD6AAAJQC6KAAAABNmZEFUAAAAAnicY2D4z4BAxHEAnqMP8aokO1QAAAAaZmNUTAAA\
            AAMAAAAEAAAABAAAAAAAAAAAAJYD6AAA+mJq/AAAABRmZEFUAAAABHicY2Bg+I+EiOIAAI6zD/F2hRa7AAAAAElF\
            TkSuQmCC
            """
        )

        static let xbm = Data(
            """
            #define sample_width 3
            #define sample_height 2
            static char sample_bits[] = {
            0x05,
            0x02
            };

            """.utf8
        )
        static let ppm = Data("P3 # a comment\n3 2\n255\n255 0 0 0 255 0 0 0 255 255 255 255 0 0 0 128 128 128\n".utf8)
        static let svg = Data(
            """
            <?xml version="1.0"?>
            <!-- a drawing -->
            <svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"><rect width="30" height="20" fill="red"/></svg>
            """.utf8
        )

        private static func data(_ text: String) -> Data { Data(base64Encoded: text) ?? Data() }
    }
#endif
