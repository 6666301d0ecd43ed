import Pledge
import PledgeTesting
// snippet: xctest
import XCTest

// end snippet

private typealias Product = TestingExamples.Product
private typealias ProductLoader = TestingExamples.ProductLoader

// snippet: loader-tests
final class ProductLoaderTests: XCTestCase {
    func testLoadsAProduct() throws {
        let network = MockNetwork()
        let future = ProductLoader(networking: network.request).loadProduct(withID: 7)

        try network.next().answer(with: .json(Product(id: 7, name: "iPad Pro")))

        XCTAssertEqual(try future.settledValue().name, "iPad Pro")
    }
}
// end snippet
