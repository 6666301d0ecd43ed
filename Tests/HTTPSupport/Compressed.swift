package import Foundation

/// Bytes that Python's zlib has compressed.
package enum Compressed {
    /// The content: "0 bottles of beer on the wall" and so on, 200 lines.
    package static let text = Data(
        (0..<200).map { "\($0) bottles of beer on the wall" }.joined(separator: "\n").utf8)

    /// The text as gzip.
    package static let gzip = data(
        """
        H4sIAAAAAAACA4XYy0lEQRgF4b1R3BD69LvDUbjiYnBAB0zfDKrW/+5jHqe6XB/P1+tx/17Pz+vj
        vn+u5/f1+rqvv/fH4y14rXhteO14HXideF143Xg9rFH4zFphrrBXGCwsFiYLm4XRwmqV1ap8xlit
        slpltcpqldUqq1VWq6zWWK2xWpOvJqs1Vmus1litsVpjtcZqndU6q3VW6/KLxmqd1TqrdVbrrNZZ
        bbDaYLXBaoPVhvwRsNpgtcFqg9UGq01Wm6w2WW2y2mS1Kf+frDZZbbLaZLXFaovVFqstVlustlht
        yexgtcVqi9U2q21W26y2WW2z2ma1zWpb1hqrbVY7rHZY7bDaYbXDaofVDqsdVjsycm3lyswtsnOL
        DN0iS7fI1C2ydYuM3SJrt8jcLeKnmSB+FgpWCpYK1goWC1YLlgvSC5FgSLXOEj9phkg0RKohkg2R
        boiEQ6QcIukQaYc0C1Xxk3yI9EMkICIFEUmISENEIiJSEZGMSLfSFz8piUhKRFoiEhORmojkRKQn
        IkERKYoMeyoRP4mKSFVEsiLSFZGwiJRFJC0ibRGJi0x7axI/6YtIYEQKI5IYkcaIREakMiKZEemM
        LHusEz9JjUhrRGIjUhuR3Ij0RiQ4IsURSY5se+0UP6mOSHZEuiMSHpHyiKRHpD0i8RGpjxx7Lka/
        f9e4dkaRGAAA
        """)

    /// The text as deflate with zlib's wrapper.
    package static let zlib = data(
        """
        eNqF2MtJREEYBeG9UdwQ+vS7w1G44mJwQAdM3wyq1v/uYx6nulwfz9frcf9ez8/r475/ruf39fq6
        r7/3x+MteK14bXjteB14nXhdeN14PaxR+MxaYa6wVxgsLBYmC5uF0cJqldWqfMZYrbJaZbXKapXV
        KqtVVqus1litsVqTryarNVZrrNZYrbFaY7XGap3VOqt1Vuvyi8ZqndU6q3VW66zWWW2w2mC1wWqD
        1Yb8EbDaYLXBaoPVBqtNVpusNlltstpktSn/n6w2WW2y2mS1xWqL1RarLVZbrLZYbcnsYLXFaovV
        NqttVtustllts9pmtc1qW9Yaq21WO6x2WO2w2mG1w2qH1Q6rHVY7MnJt5crMLbJziwzdIku3yNQt
        snWLjN0ia7fI3C3ip5kgfhYKVgqWCtYKFgtWC5YL0guRYEi1zhI/aYZINESqIZINkW6IhEOkHCLp
        EGmHNAtV8ZN8iPRDJCAiBRFJiEhDRCIiUhGRjEi30hc/KYlISkRaIhITkZqI5ESkJyJBESmKDHsq
        ET+JikhVRLIi0hWRsIiURSQtIm0RiYtMe2sSP+mLSGBECiOSGJHGiERGpDIimRHpjCx7rBM/SY1I
        a0RiI1IbkdyI9EYkOCLFEUmObHvtFD+pjkh2RLojEh6R8oikR6Q9IvERqY8cey5Gv38ogjn7
        """)

    /// The text as deflate without a wrapper.
    package static let raw = data(
        """
        hdjLSURBGAXhvVHcEPr0u8NRuOJicEAHTN8Mqtb/7mMep7pcH8/X63H/Xs/P6+O+f67n9/X6uq+/
        98fjLXiteG147XgdeJ14XXjdeD2sUfjMWmGusFcYLCwWJgubhdHCapXVqnzGWK2yWmW1ymqV1Sqr
        VVarrNZYrbFak68mqzVWa6zWWK2xWmO1xmqd1TqrdVbr8ovGap3VOqt1Vuus1lltsNpgtcFqg9WG
        /BGw2mC1wWqD1QarTVabrDZZbbLaZLUp/5+sNlltstpktcVqi9UWqy1WW6y2WG3J7GC1xWqL1Tar
        bVbbrLZZbbPaZrXNalvWGqttVjusdljtsNphtcNqh9UOqx1WOzJybeXKzC2yc4sM3SJLt8jULbJ1
        i4zdImu3yNwt4qeZIH4WClYKlgrWChYLVguWC9ILkWBItc4SP2mGSDREqiGSDZFuiIRDpBwi6RBp
        hzQLVfGTfIj0QyQgIgURSYhIQ0QiIlIRkYxIt9IXPymJSEpEWiISE5GaiOREpCciQREpigx7KhE/
        iYpIVUSyItIVkbCIlEUkLSJtEYmLTHtrEj/pi0hgRAojkhiRxohERqQyIpkR6Ywse6wTP0mNSGtE
        YiNSG5HciPRGJDgixRFJjmx77RQ/qY5IdkS6IxIekfKIpEekPSLxEamPHHsuRr9/
        """)

    /// The text as gzip, and the result as gzip again.
    package static let twice = data(
        """
        H4sIAAAAAAACA5Pv5mAAASbm1hunPV0cJVgf7g28I/Dry+7DgTseJRU4sPvc51l17f+7ZLnlu2Lk
        z19/Xfg/7vz514/31a97/v3rr13r938//li3Ym1FbsXbCtmKuRWxFXcrbNcE/jgTlbhuQ7iEjo6Y
        Gvfs1ouHsqZeXVVzLGLtpqjUraeAHK3VoWGr11yLWLsxavJ6tdWmYdkQTvLWY1lzr1qtLg17/akb
        zlxzLTJ3w62ErQezmq+2/RGEMdlW+4bNXmMWmbvpVspWzf/zYcyjWd1XxVbrhkWv2RaRe/JNAljA
        bHVu2O012yJzN99K23o2K/qaFFDAek1ZxNsNtxK3Hs5qv8q3WjbM2qgo9+mpM7qbirt57ip5bz9x
        RXdTaXfPXaXs7Sfu6D5aPlOhTowrjGsa1zUuMe4w7mncl7gnJnhsPSdkn9nmYeKySnES78S8jhbn
        JTJKLwUy2024Qz9Orun44qyioMQq6Nnh4eyipBQkOLHHY/slcXvNTg8vlyglIeGJszqeuCxRV3IU
        1OziqdYStO/s8gh12aR0SXTiho4priq6SrmCnd0+1dlC9i+7PRJcuJQnSUw81uHitsRIaabgyx6d
        6jXC9p69HtkuScpB0hPvdHxxU7FQOiro2ZdT/VbEfmWfR5nLLmUhuYmfOpa4L7FV+ii4sl+mWs9t
        f/31HWVuEyUYGAAJlDReCgIAAA==
        """)

    /// The text as gzip, and the result as deflate.
    package static let deflatedGzip = data(
        """
        eNqT7+ZgAAEm5tYbpz1dHCVYH+4NvCPw68vuw4E7HiUVOLD73OdZde3/u2S55bti5M9ff134P+78
        +deP99Wve/79669d6/d/P/5Yt2JtRW7F2wrZirkVsRV3K2zXBP44E5W4bkO4hI6OmBr37NaLh7Km
        Xl1Vcyxi7aao1K2ngByt1aFhq9dci1i7MWryerXVpmHZEE7y1mNZc69arS4Ne/2pG85ccy0yd8Ot
        hK0Hs5qvtv0RhDHZVvuGzV5jFpm76VbKVs3/82HMo1ndV8VW64ZFr9kWkXvyTQJYwGx1btjtNdsi
        czffStt6Niv6mhRQwHpNWcTbDbcStx7Oar/Kt1o2zNqoKPfpqTO6m4q7ee4qeW8/cUV3U2l3z12l
        7O0n7ug+Wj5ToU6MK4xrGtc1LjHuMO5p3Je4JyZ4bD0nZJ/Z5mHiskpxEu/EvI4W5yUySi8FMttN
        uEM/Tq7p+OKsoqDEKujZ4eHsoqQUJDixx2P7JXF7zU4PL5coJSHhibM6nrgsUVdyFNTs4qnWErTv
        7PIIddmkdEl04oaOKa4qukq5gp3dPtXZQvYvuz0SXLiUJ0lMPNbh4rbESGmm4Mseneo1wvaevR7Z
        LknKQdIT73R8cVOxUDoq6NmXU/1WxH5ln0eZyy5lIbmJnzqWuC+xVfoouLJfplrPbX/99R1lbhMl
        GBgABO31iw==
        """)

    /// Ten million zeros as gzip, and the result as gzip again.
    package static let bomb = data(
        """
        H4sIAAAAAAACA+3YvQnCQACA0UuiECx0BN1DCFbB0sYhbFzBA0tBrMQFUjuDtQOIhRuIG/h3axzv
        Vd8M33hXh6Ssnpei+Ec8fM6vehAAAACAzMX7tkozIEy+t3axBAAAAHK3Gg3n6QX03pvHftZ3RwBy
        sy6v3bSJx1P4AWvJRxwWJgAA
        """)

    static func data(_ text: String) -> Data {
        Data(base64Encoded: text.filter { !$0.isNewline }) ?? Data()
    }
}
