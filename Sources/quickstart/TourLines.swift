import Pledge

/// The lines to show for a change: a function of the state before and the state after.
func lines(for new: Tour, after old: Tour?) -> [String] {
    var lines: [String] = []
    if new.product.isLoading, old?.product.isLoading != true {
        lines.append("One product, its ID combined with the loading function:")
    }
    if let product = new.product.value, old?.product.value == nil {
        lines.append("  \(product.name) costs \(product.price) €.\n")
    }
    if new.products.isLoading, old?.products.isLoading != true {
        lines.append("Three products, two at a time:")
    }
    if let products = new.products.value, old?.products.value == nil {
        lines += products.map { "  \($0.id)  \($0.name), \($0.price) €" }
        lines.append("  Together \(products.map(\.price).reduce(0, +)) €.\n")
    }
    for (password, login) in new.logins.sorted(by: { $0.key < $1.key }) {
        let before = old?.logins[password]
        if let answer = login.value, before?.value == nil {
            lines.append("  \(answer.message)" + (new.hasEnded ? "" : "\n"))
        }
    }
    for (password, login) in new.logins where login.isLoading && old?.logins[password] == nil {
        lines.append("A login in three steps, with the password \(password):")
    }
    return lines
}
