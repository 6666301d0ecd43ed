// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Apple's XCTest, with the signatures of its SDK and with empty bodies.
@_exported import AppleFoundation

open class XCTestCase: NSObject {
    open func setUp() {}
    open func tearDown() {}
    open func run() {}
    open func invokeTest() {}
    open func record(_ issue: XCTIssue) {}
}

public struct XCTIssue { public var sourceCodeContext: XCTSourceCodeContext }
public final class XCTSourceCodeContext: NSObject { public var location: XCTSourceCodeLocation? }
public final class XCTSourceCodeLocation: NSObject {
    public var fileURL: URL { fatalError() }
    public var lineNumber: Int { fatalError() }
}
