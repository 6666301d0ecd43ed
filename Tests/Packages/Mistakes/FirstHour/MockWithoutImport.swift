import Foundation
import Pledge

func test() throws {
    // expected-error@+1 {{and import PledgeTesting}}
    let shop = MockNetwork()
    print(shop)
}
