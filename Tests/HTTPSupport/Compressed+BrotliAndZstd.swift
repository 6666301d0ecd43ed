package import Foundation

// The same content, compressed by Python's brotli and zstandard.
extension Compressed {
    /// The text as br.
    package static let brotli = data(
        """
        G5AY4I3UXjV50OwRKl3HhqkaoruA29jvLPcWbEVCiRWdADLBBcTHszI1cr0YrWJ+/Ucno4cblA7eg/J7
        QXV2dff09unb74JCBwAEgSFQGNh+Az8ACAJDoDCw/QZ9ABAEhkBhYPsN/gAgCAyBwsD2G/IBQBAYAoWB
        7Tf0A4AgMAQKA9tvmA8AgsAQKAxsv2E/AAgCQ6AwsP2G+wAgCAyBwsA+re3lIxCKxBKpjCzcgi8QisQS
        qYws3MIvEIrEEqmMLNyiLxCKxBKpjCzc4i8QisQSqYws3JIvEIrEEqmMLNzSLxCKxBKpjCzcMl8gFIkl
        UhlZuGW/QCgSS6QysnDLfYFQJJZIZWTzAQ==
        """)

    /// The text as zstd, with its length and a checksum.
    package static let zstd = data(
        """
        KLUv/WSRF0UIAJZUKxSgqcWAUeo3SVlVMiK7u3tTWPHUCC8AJQAfAHd3ZmZmZmZVVVVVVURERERE//+/
        mnhWNHAcQhMQBhMgSaAQxBAUSbAQB8MkQ3AC/////5/P5/P5fD6fz7u7u7u7qqqqqqqZmZmZmYiIiIiI
        d3d3Afd93/d93/dt27Zt27Zt23Vd13Vd13VN0zRN0zRN03/7vu/7vu/7ruu6ruu6rut5nud5nud5juM4
        juM4juMBgMeoERD6/e/QG9UBEfz/R/yrVdlsbjZbq9XZbG42V6vFQ0loByXQ+kmfrSd59k7o3AAAAQAC
        AAIABAAEAConcLabsFk1QbNmQmbFBMy3ALMAZmFgHSxSBZMvrhM=
        """)

    /// The text as zstd, without length and checksum.
    package static let bareZstd = data(
        """
        KLUv/QAYnQcAYo4iF5AnaQMAbFWEvahY+j9yd/dOKSXWvx6cd3d3d3dmZmZmZlVVVVVVREREREQzMzMz
        M////79t27bdtm3bkiRJUkRERESEd3d3d3dmZmZmZlVVVVVVREREREQzMzMzM////79t27bdtm3bkiRJ
        UnhWNHcJQBABB2MYKAyCYhQMA2EIFMNgIAqFgjAkgMeoIfj2vwPAM6rVEfz/R3h+DKjbu93N3e7tbu92
        d3e7t3u1Q7uoUM5LyEvES8JLvEtyl2yXZJdYl3TV1Zn/9/////////////+Zs+Psm22zazbNntkyO2ZP
        lGgLzAW2MEgHq1UB
        """)

    /// The text as gzip, and the result as br.
    package static let brotliGzip = data(
        """
        GwkCQI+TpXZWoqH/U8lL5UvNqbpllwmvogJdO/Cvfi/1DBfJp05OD3jAQDkgi/rWdsokAQ3ZZGcUQte0
        FWoo7JqScueN01wUYab6cO+yOwa/vuw+vGzHo7SScPWF93VGrv1/l24zuCvB9vz116X/k86ff/14X/Po
        8+9ff+0a2//9+GPPGnlNYc3bGuuaLTWJNXdrZjPLfpyJSx0djzbz8DBx0t7UefFQ3pqrIw3HYuSTcZlb
        T52FG72KoplrMfKJuN4xJzqQytenbz2Wt+XqDLqSev1JWMdciy0cv5Wy9WBe+9WuP4BVoxdRm5ig2MLJ
        WxlbXf83Hs0TXjWhPal4ZltM4ck3KW8E0YXU7Sq2cOpW1tazefHXLMiZTFXM2/FbqVsP53Vf1aOtab+y
        wqenznhOlgt17sIF209cCSuFIuS/5o7no8ENdk0mWpTWWq1rWibalPZa7UvaJAVvPccKy+3CAWjEvkeX
        FPE6ovqs4EuD3O4A7VUfext4X6LYQVXA5eEoBOFyQER4+yXTMFc+no/iIMuQbOQ9QX3OMAK4CnTq3UAY
        X4BXoUl4yZiM81bPdfCEhYAvXFifzwp7KcQpSIvdY0aO8RCnzw9uAC9FHvWMYRhXjPNRGnu5JbnD+8IR
        Ao8CrqSg/q1R2LAEV6FdbJYN+cTrm9c3G34Ew1Krei/O/ubrO6o4xExBAQ==
        """)

    /// The text as br, and the result as zstd.
    package static let zstdBrotli = data(
        """
        KLUv/WQJANUGAEQMG5AY4I3UXjV50OwRKl3HhqkaoruA29jvLPcWbEVCiRWdADLBBcTHszI1cr0YrWJ+
        /Ucno4cblA7eg/J7QXV2dff09unb74JCBwAEgSFQGNh+Az8ACAJDoDCw/QZ9ABAEhkBhYPsN/gAgCAyB
        wsD2G/IBQBAYAoWB7Tf0A4AgMAQKA9tvmA8AgsAQKAxsv2GG+z6t7eUjEIrEEqmMLNyCL8Ki4pLSMl8g
        FIklUhlZuGW/QCgSS6QysnDLfYFQJJZIZWTzAQgAoAgoBwoDRUC5Wki1mtsDKAIap9UzUQ==
        """)

    /// Ten million zeros as br.
    package static let brotliBomb = data(
        """
        y///P/gnAOKxQCD3/i//LDHwTwDEYRGAjiMG
        """)

    /// Ten million zeros as zstd, with a window of 8 MiB, and the result as zstd again.
    package static let zstdBomb = data(
        """
        KLUv/WRKAFUBACQCKLUv/YRogJaYAEwAAAgAAQD8/zkQAgIAEAADtAQAktJhzwEAllDvGMa1+p4=
        """)
}
