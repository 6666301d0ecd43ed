#if canImport(UIKit) && !os(watchOS)
import PledgeArticles
import Testing
import UIKit

@MainActor @Suite struct UIControlBindTests {
    @Test func everyHandlerOfAnEventIsKept() {
        let button = UIButton()
        var heard: [Int] = []
        button.bind(events: .touchUpInside) { _ in heard.append(1) }
        let second = button.bind(events: .touchUpInside) { _ in heard.append(2) }
        button.sendActions(for: .touchUpInside)
        #expect(heard.sorted() == [1, 2])
        button.removeAction(second, for: .touchUpInside)
        button.sendActions(for: .touchUpInside)
        #expect(heard.sorted() == [1, 1, 2])
    }
}
#endif
