import Foundation
import PledgeFutures
import TestSupport
import Testing

@testable import PledgeStores

@Suite struct SubscribersTests {
    let told = TestLog<Int>()

    func subscriber(_ number: Int) -> Subscriber<Int> {
        Subscriber(id: UUID(), since: 0, at: nil) { [told] _, _ in told.append(number) }
    }

    /// The numbers of the subscribers that are notified, in order.
    func notified(_ subscribers: Subscribers<Int>) -> [Int] {
        let before = told.elements.count
        subscribers.list.notify(0, 1, 1)
        return Array(told.elements.dropFirst(before))
    }

    @Test(arguments: 0..<UInt64(20))
    func subscribersOfAStoreKeepTheirOrderWhoeverLeaves(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var subscribers = Subscribers<Int>()
        var expected: [(number: Int, id: UUID)] = []
        for number in 0..<200 {
            if Int.random(in: 0..<5, using: &generator) < (number < 100 ? 4 : 1) {
                let new = subscriber(number)
                subscribers.append(new)
                expected.append((number, new.id))
            } else if let index = expected.indices.randomElement(using: &generator) {
                let id = expected.remove(at: index).id
                #expect(subscribers.remove(id)?.subscriber?.id == id)
                #expect(subscribers.remove(id) == nil)
            }
            #expect(notified(subscribers) == expected.map(\.number))
            #expect(subscribers.list.isEmpty == expected.isEmpty)
            #expect(subscribers.list.others.count <= 2 * expected.count)
        }
    }

    @Test func aSubscriberIsLookedForOnlyInItsOwnGroup() {
        let asked = TestLog<Int>()
        var subscribers = Subscribers<Int>()
        let members = (0..<100).map { _ in UUID() }
        for (number, member) in members.enumerated() {
            let group = SubscriberGroup<Int>(
                notifyMembers: { _, _, _ in },
                remove: { id in
                    asked.append(number)
                    return id == member ? .init(isLast: true) {} : nil
                }, onClose: {})
            let subscriber = Subscriber(id: UUID(), since: 0, at: nil, group: group)
            subscribers.append(subscriber)
            subscribers.add(member: member, to: subscriber.id)
        }
        for number in [70, 99, 0] {
            #expect(subscribers.remove(members[number])?.emptyGroup != nil)
        }
        #expect(asked.elements == [70, 99, 0])
        #expect(subscribers.remove(members[70]) == nil)
        #expect(subscribers.remove(UUID()) == nil)
        #expect(asked.elements == [70, 99, 0])
    }
}
