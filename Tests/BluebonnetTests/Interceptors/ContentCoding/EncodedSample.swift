import Foundation
import NIOCore
import Testing

@testable import Bluebonnet

/// Encoded bodies made by Python's `gzip` and `zlib`, which share the zlib library with us but none
/// of our code.
enum EncodedSample {
    /// The text that the samples encode.
    static let text = (0..<60).map { "line \($0): the quick brown fox \($0 * $0 % 97)\n" }.joined()

    /// `text` as one gzip member.
    static let gzip = bytes(
        """
        H4sIAAAAAAACA33US05DMQwF0DmryBJe/MmH5YBaUVG1agWC5SOU61mux1dx4mO/d73cTuV4LV8fp/L4vrx/lrfn/edWzvffcrxc
        /9O6T+tKZZ/aSnWfzpUaqdxW7PtYfMVtHytOd/Iw3D32ccPD5z4e6LoSMkVMzATVK1PryIlbF+RELmIip/F6QtfiPLGbkK8ET6N9
        otexUUL0Ku4XwueoL4RvYvRC+Az8Qvhm7DTxs7if+M2oT/w8+id+AzHha+BXwifYHiV8A/WV8Hl8tIRPMB4lfAOflhK+Bl5lX270
        R/hqnGd8GL8yP+RG/Aw+RvwU/Rvxq3Ge+MX1bPuwXUb4BniM8PX4qxK+HucJX4/7Z577kdf3mr/PJe/PNfdxS3nd8+l4y6frPd8O
        H/l2+aTb+QdcFSBrbQcAAA==
        """
    )

    /// `text` as gzip without compression.
    static let storedGzip = bytes(
        """
        H4sIAAAAAAAEAwFtB5L4bGluZSAwOiB0aGUgcXVpY2sgYnJvd24gZm94IDAKbGluZSAxOiB0aGUgcXVpY2sgYnJvd24gZm94IDEK
        bGluZSAyOiB0aGUgcXVpY2sgYnJvd24gZm94IDQKbGluZSAzOiB0aGUgcXVpY2sgYnJvd24gZm94IDkKbGluZSA0OiB0aGUgcXVp
        Y2sgYnJvd24gZm94IDE2CmxpbmUgNTogdGhlIHF1aWNrIGJyb3duIGZveCAyNQpsaW5lIDY6IHRoZSBxdWljayBicm93biBmb3gg
        MzYKbGluZSA3OiB0aGUgcXVpY2sgYnJvd24gZm94IDQ5CmxpbmUgODogdGhlIHF1aWNrIGJyb3duIGZveCA2NApsaW5lIDk6IHRo
        ZSBxdWljayBicm93biBmb3ggODEKbGluZSAxMDogdGhlIHF1aWNrIGJyb3duIGZveCAzCmxpbmUgMTE6IHRoZSBxdWljayBicm93
        biBmb3ggMjQKbGluZSAxMjogdGhlIHF1aWNrIGJyb3duIGZveCA0NwpsaW5lIDEzOiB0aGUgcXVpY2sgYnJvd24gZm94IDcyCmxp
        bmUgMTQ6IHRoZSBxdWljayBicm93biBmb3ggMgpsaW5lIDE1OiB0aGUgcXVpY2sgYnJvd24gZm94IDMxCmxpbmUgMTY6IHRoZSBx
        dWljayBicm93biBmb3ggNjIKbGluZSAxNzogdGhlIHF1aWNrIGJyb3duIGZveCA5NQpsaW5lIDE4OiB0aGUgcXVpY2sgYnJvd24g
        Zm94IDMzCmxpbmUgMTk6IHRoZSBxdWljayBicm93biBmb3ggNzAKbGluZSAyMDogdGhlIHF1aWNrIGJyb3duIGZveCAxMgpsaW5l
        IDIxOiB0aGUgcXVpY2sgYnJvd24gZm94IDUzCmxpbmUgMjI6IHRoZSBxdWljayBicm93biBmb3ggOTYKbGluZSAyMzogdGhlIHF1
        aWNrIGJyb3duIGZveCA0NApsaW5lIDI0OiB0aGUgcXVpY2sgYnJvd24gZm94IDkxCmxpbmUgMjU6IHRoZSBxdWljayBicm93biBm
        b3ggNDMKbGluZSAyNjogdGhlIHF1aWNrIGJyb3duIGZveCA5NApsaW5lIDI3OiB0aGUgcXVpY2sgYnJvd24gZm94IDUwCmxpbmUg
        Mjg6IHRoZSBxdWljayBicm93biBmb3ggOApsaW5lIDI5OiB0aGUgcXVpY2sgYnJvd24gZm94IDY1CmxpbmUgMzA6IHRoZSBxdWlj
        ayBicm93biBmb3ggMjcKbGluZSAzMTogdGhlIHF1aWNrIGJyb3duIGZveCA4OApsaW5lIDMyOiB0aGUgcXVpY2sgYnJvd24gZm94
        IDU0CmxpbmUgMzM6IHRoZSBxdWljayBicm93biBmb3ggMjIKbGluZSAzNDogdGhlIHF1aWNrIGJyb3duIGZveCA4OQpsaW5lIDM1
        OiB0aGUgcXVpY2sgYnJvd24gZm94IDYxCmxpbmUgMzY6IHRoZSBxdWljayBicm93biBmb3ggMzUKbGluZSAzNzogdGhlIHF1aWNr
        IGJyb3duIGZveCAxMQpsaW5lIDM4OiB0aGUgcXVpY2sgYnJvd24gZm94IDg2CmxpbmUgMzk6IHRoZSBxdWljayBicm93biBmb3gg
        NjYKbGluZSA0MDogdGhlIHF1aWNrIGJyb3duIGZveCA0OApsaW5lIDQxOiB0aGUgcXVpY2sgYnJvd24gZm94IDMyCmxpbmUgNDI6
        IHRoZSBxdWljayBicm93biBmb3ggMTgKbGluZSA0MzogdGhlIHF1aWNrIGJyb3duIGZveCA2CmxpbmUgNDQ6IHRoZSBxdWljayBi
        cm93biBmb3ggOTMKbGluZSA0NTogdGhlIHF1aWNrIGJyb3duIGZveCA4NQpsaW5lIDQ2OiB0aGUgcXVpY2sgYnJvd24gZm94IDc5
        CmxpbmUgNDc6IHRoZSBxdWljayBicm93biBmb3ggNzUKbGluZSA0ODogdGhlIHF1aWNrIGJyb3duIGZveCA3MwpsaW5lIDQ5OiB0
        aGUgcXVpY2sgYnJvd24gZm94IDczCmxpbmUgNTA6IHRoZSBxdWljayBicm93biBmb3ggNzUKbGluZSA1MTogdGhlIHF1aWNrIGJy
        b3duIGZveCA3OQpsaW5lIDUyOiB0aGUgcXVpY2sgYnJvd24gZm94IDg1CmxpbmUgNTM6IHRoZSBxdWljayBicm93biBmb3ggOTMK
        bGluZSA1NDogdGhlIHF1aWNrIGJyb3duIGZveCA2CmxpbmUgNTU6IHRoZSBxdWljayBicm93biBmb3ggMTgKbGluZSA1NjogdGhl
        IHF1aWNrIGJyb3duIGZveCAzMgpsaW5lIDU3OiB0aGUgcXVpY2sgYnJvd24gZm94IDQ4CmxpbmUgNTg6IHRoZSBxdWljayBicm93
        biBmb3ggNjYKbGluZSA1OTogdGhlIHF1aWNrIGJyb3duIGZveCA4NgpcFSBrbQcAAA==
        """
    )

    /// `text` as two gzip members, cut after 1,000 bytes.
    static let members = bytes(
        """
        H4sIAAAAAAACA3XSSw7CMAxF0TmryBIaO1+WA2pFRdUKBILlI5Tnmd/4Kk5ykm3d5zCdw+s2h8d7vd7D5Xl89rAc3zCdtn+Nfo2j
        il/TqOrXPmoik8vI2c+SRy5+Vqyu5GDYu/m54ODdzw23joRMkYmZYHpkahWduFVBJ3KWiZza6QldsfXErkM+Ejy16xO9ih8lRC9i
        fyF8GfOF8HU8vRC+BH4hfN3+NPFLtj/x6zaf+GW7P/FryISvgF8Jn+D3qMP3A5gXmNroAwAAH4sIAAAAAAACA32SQQ4CMQhF956C
        I0xbfks9jmYmM9HMRKPR4+uC7oD1C3x4sBxfEjndt32mks/0Wmd6vLfrjS7P47PT8udg5cXmOStnm0tXDpvXpLzavEB5s3ka9eLk
        V+XdyVfOk81Z/XBy5tP92fGXRr3jb8Q7+npR7ugT1cOOvqb62dHXRr2jr438HnNMcX+keD7keD+U2A841AvE10GNr4sWfwck/i50
        9zt/y6MMD4UDAAA=
        """
    )

    /// `text` as gzip with every optional part of the header (RFC 1952 §2.3).
    static let fullHeader = bytes(
        """
        H4sIHwAAAAAAAwQAQUIAAG5hbWUudHh0AGEgY29tbWVudAAIwn3US05DMQwF0DmryBJe/MmH5YBaUVG1agWC5SOU61mux1dx4mO/
        d73cTuV4LV8fp/L4vrx/lrfn/edWzvffcrxc/9O6T+tKZZ/aSnWfzpUaqdxW7PtYfMVtHytOd/Iw3D32ccPD5z4e6LoSMkVMzATV
        K1PryIlbF+RELmIip/F6QtfiPLGbkK8ET6N9otexUUL0Ku4XwueoL4RvYvRC+Az8Qvhm7DTxs7if+M2oT/w8+id+AzHha+BXwifY
        HiV8A/WV8Hl8tIRPMB4lfAOflhK+Bl5lX270R/hqnGd8GL8yP+RG/Aw+RvwU/Rvxq3Ge+MX1bPuwXUb4BniM8PX4qxK+HucJX4/7
        Z577kdf3mr/PJe/PNfdxS3nd8+l4y6frPd8OH/l2+aTb+QdcFSBrbQcAAA==
        """
    )

    /// `text` as RFC 1950.
    static let zlib = bytes(
        """
        eNp91EtOQzEMBdA5q8gSXvzJh+WAWlFRtWoFguUjlOtZrsdXceJjv3e93E7leC1fH6fy+L68f5a35/3nVs7333K8XP/Tuk/rSmWf
        2kp1n86VGqncVuz7WHzFbR8rTnfyMNw99nHDw+c+Hui6EjJFTMwE1StT68iJWxfkRC5iIqfxekLX4jyxm5CvBE+jfaLXsVFC9Cru
        F8LnqC+Eb2L0QvgM/EL4Zuw08bO4n/jNqE/8PPonfgMx4WvgV8In2B4lfAP1lfB5fLSETzAeJXwDn5YSvgZeZV9u9Ef4apxnfBi/
        Mj/kRvwMPkb8FP0b8atxnvjF9Wz7sF1G+AZ4jPD1+KsSvh7nCV+P+2ee+5HX95q/zyXvzzX3cUt53fPpeMun6z3fDh/5dvmk2/kH
        UJdnFA==
        """
    )

    /// `text` as bare RFC 1951.
    static let raw = bytes(
        """
        fdRLTkMxDAXQOavIEl78yYflgFpRUbVqBYLlI5TrWa7HV3HiY793vdxO5XgtXx+n8vi+vH+Wt+f951bO999yvFz/07pP60pln9pK
        dZ/OlRqp3Fbs+1h8xW0fK0538jDcPfZxw8PnPh7ouhIyRUzMBNUrU+vIiVsX5EQuYiKn8XpC1+I8sZuQrwRPo32i17FRQvQq7hfC
        56gvhG9i9EL4DPxC+GbsNPGzuJ/4zahP/Dz6J34DMeFr4FfCJ9geJXwD9ZXweXy0hE8wHiV8A5+WEr4GXmVfbvRH+GqcZ3wYvzI/
        5Eb8DD5G/BT9G/GrcZ74xfVs+7BdRvgGeIzw9firEr4e5wlfj/tnnvuR1/eav88l788193FLed3z6XjLp+s93w4f+Xb5pNv5Bw==
        """
    )

    /// An empty text as gzip.
    static let emptyGzip = bytes(
        """
        H4sIAAAAAAACAwMAAAAAAAAAAAA=
        """
    )

    /// An empty text as bare RFC 1951, in its shortest form.
    static let emptyRaw = bytes(
        """
        AwA=
        """
    )

    /// A zlib stream that needs a dictionary.
    static let dictionary = bytes(
        """
        ePlHjgc0fdQ7bsQwDEXRPqvwEix+9Ml+UgQIUmX/CDB+rEZX9YMo8ZD2z/fv13V/Xn/v0XV/vNK2T9uT2j6NJ/V9up40oHJ/4tzH
        lk/c97Hr9ICH6e65j7sevvbxVNcNyFwxmJmqN1IbysFtmHKQqxjkvF4PdL3Og92SfAM8r/ZBb2ijDPSa7jfgS9U34FsavQFfiN+A
        b9VOg1/U/eC3qj74ZfUPflMx8HXxO/CZtseBb6q+A1/WRwt8pvE48E19Wg58XbxOX271B3ytzhOfxu/kpzzAL+QT4OfqP8Cv1Xnw
        q+tp+7RdAXxTPAF8o/6qwDfqPPCNun+d87zP9bOd35d27i/97JNx5M08Tyf7ebo5ztuR87xduXA7/wFQl2cU
        """
    )

    /// `text` as gzip, and that as RFC 1950.
    static let zlibOfGzip = bytes(
        """
        eNoBPAHD/h+LCAAAAAAAAgN91EtOQzEMBdA5q8gSXvzJh+WAWlFRtWoFguUjlOtZrsdXceJjv3e93E7leC1fH6fy+L68f5a35/3n
        Vs7333K8XP/Tuk/rSmWf2kp1n86VGqncVuz7WHzFbR8rTnfyMNw99nHDw+c+Hui6EjJFTMwE1StT68iJWxfkRC5iIqfxekLX4jyx
        m5CvBE+jfaLXsVFC9CruF8LnqC+Eb2L0QvgM/EL4Zuw08bO4n/jNqE/8PPonfgMx4WvgV8In2B4lfAP1lfB5fLSETzAeJXwDn5YS
        vgZeZV9u9Ef4apxnfBi/Mj/kRvwMPkb8FP0b8atxnvjF9Wz7sF1G+AZ4jPD1+KsSvh7nCV+P+2ee+5HX95q/zyXvzzX3cUt53fPp
        eMun6z3fDh/5dvmk2/kHXBUga20HAABnqqYg
        """
    )

    /// 64 MiB of zeros as gzip, and that as gzip again.
    static let bomb = bytes(
        """
        H4sIAAAAAAACA+3cr05CcRTA8YtcNyYbYiAZ5BGIFAYazAbNjgcgkmVzJgsvQWZjc7PSeAO02f0TnDM5L9z7GL/z+aSTTzw7+549
        NrLSQf1jXavth9n8f/nVOMoAAACAxM1e7+vlMSDrFtvLqxsAAAAgdePjVl4dBf5uT8+tAwAAAJL3MOi3qw+B77tJbh0AAACQvM7v
        26i6BWyKp5Nr+wAAAIDkvQgGAAAAQCiCAQAAABCLYAAAAADEIhgAAAAAwQgGAAAAQCyCAQAAABCLYAAAAADEIhgAAAAAwQgGAAAA
        QCyCAQAAABDLYtDvlo8B7Z9iOrw4zAAAAIjkufnZe1/th3wHPEzs+uL+AAA=
        """
    )

    static func bytes(_ base64: String) -> [UInt8] {
        Array(Data(base64Encoded: base64, options: .ignoreUnknownCharacters) ?? Data())
    }
}

extension ContentDecoder {
    /// Decodes a body and drops the output. Returns its size up to the end or the error, and the
    /// error.
    static func run(_ coding: String, _ bytes: [UInt8], limits: Limits = Limits()) throws -> (Int, NetworkingError?) {
        let decoder = ContentDecoder(try #require(try ContentCoding(contentEncoding: coding)), limits: limits)
        var count = 0
        do {
            decoder.push(ByteBuffer(bytes: bytes))
            while let block = try decoder.nextBlock() {
                try #require((1...262_144).contains(block.readableBytes))
                count += block.readableBytes
            }
            try decoder.finish()
            return (count, nil)
        } catch let error as NetworkingError {
            return (count, error)
        }
    }
}
