import Foundation
import Pledge

func show(_ product: Future<Product>) {
    // expected-error@+1 {{write onFailure to see an error}}
    product.catch { error in print(error) }
}
