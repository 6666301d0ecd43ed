import Foundation
import PledgeStores
import Testing

@Suite struct StateDiffTests {
    struct Login: Sendable {
        var name = "Tan"
        var tries: [Int] = []
        var marks: Set<String> = []
        var byKey: [String: Int] = ["a": 1]
        var error: String?
        var step = Step.idle
    }

    enum Step: Sendable {
        case idle
        case loading(Int)
        case loaded(name: String, age: Int)
        case done(())
    }

    final class Node {
        var next: Node?
        var value = 1
    }

    func lines(_ change: (inout Login) -> Void) -> [String] {
        var new = Login()
        change(&new)
        return StateDiff(from: Login(), to: new).lines
    }

    @Test func aStateDiffOfEqualValuesIsEmpty() {
        #expect(lines { _ in }.isEmpty)
        #expect(StateDiff(from: 1, to: 1).lines.isEmpty)
    }

    @Test func aStateDiffNamesAPropertyByItsPath() {
        #expect(lines { $0.name = "Tangent" } == ["- name: \"Tan\"", "+ name: \"Tangent\""])
        #expect(StateDiff(from: 1, to: 2).lines == ["- 1", "+ 2"])
        #expect(StateDiff(from: 1, to: 2).description == "- 1\n+ 2")
    }

    @Test func aStateDiffComparesCollectionsByPlaceAndByKey() {
        #expect(lines { $0.tries = [4] } == ["- tries: []", "+ tries[0]: 4"])
        #expect(lines { $0.marks = ["x"] } == ["- marks: []", "+ marks[\"x\"]: contained"])
        #expect(
            lines { $0.byKey = ["a": 2, "b": 3] }
                == ["- byKey[\"a\"]: 1", "+ byKey[\"a\"]: 2", "+ byKey[\"b\"]: 3"])
    }

    @Test func aStateDiffTellsMissingValuesAndCases() {
        #expect(lines { $0.error = "no" } == ["- error: nil", "+ error: \"no\""])
        #expect(lines { $0.step = .loading(2) } == ["- step: .idle", "+ step.loading: 2"])
        #expect(
            lines { $0.step = .loaded(name: "a", age: 3) }
                == ["- step: .idle", "+ step.loaded.name: \"a\"", "+ step.loaded.age: 3"])
    }

    /// It prints like every other value.
    struct Hidden: Hashable, CustomStringConvertible {
        let id: Int

        var description: String { "hidden" }
    }

    struct Book: Identifiable {
        let id: Int
        var title: String
    }

    struct Shelf {
        var books: [Book] = [Book(id: 1, title: "Momo"), Book(id: 2, title: "Faust")]
    }

    @Test func aStateDiffTellsDatesWithinASecondApart() {
        let old = Date(timeIntervalSinceReferenceDate: 0.25)
        let new = Date(timeIntervalSinceReferenceDate: 0.5)
        let diff = StateDiff(from: ["at": old], to: ["at": new]).lines
        #expect(diff.count == 2)
        #expect(Set(diff.map { $0.dropFirst() }).count == 2)
        #expect(diff[0].contains("0.25") && diff[1].contains("0.5"))
        #expect(StateDiff(from: old, to: old).lines == [])
        let sets = StateDiff(from: [old] as Set, to: [new] as Set).lines
        #expect(Set(sets.map { $0.dropFirst() }).count == 2)
    }

    @Test("values that differ and print the same are told apart, by kind or in words")
    func aStateDiffTellsValuesApartThatPrintTheSame() {
        #expect(
            StateDiff(from: Hidden(id: 1), to: Hidden(id: 2)).lines
                == ["- hidden (id: 1)", "+ hidden (id: 2)"])
        #expect(
            StateDiff(from: 1 as Any, to: UInt8(1) as Any).lines == ["- 1 (Int)", "+ 1 (UInt8)"])
        let (first, second) = (Mute(), Mute())
        #expect(
            StateDiff(from: first, to: second).lines
                == ["- mute", "+ mute (not equal, though it prints the same)"])
        #expect(StateDiff(from: Double.nan, to: .nan).lines == [])
    }

    /// Equal only to itself, and without properties.
    final class Mute: Equatable, CustomStringConvertible {
        static func == (left: Mute, right: Mute) -> Bool { left === right }

        var description: String { "mute" }
    }

    @Test func aStateDiffOfAnInsertionShowsTheNewElementAlone() {
        #expect(StateDiff(from: [1, 2, 3], to: [9, 1, 2, 3]).lines == ["+ [0]: 9"])
        #expect(StateDiff(from: [1, 2, 3], to: [2, 3]).lines == ["- [0]: 1"])
        #expect(StateDiff(from: [1, 2, 3], to: [1, 7, 3]).lines == ["- [1]: 2", "+ [1]: 7"])
        #expect(
            StateDiff(from: [1, 2, 3, 4], to: [0, 1, 3, 5]).lines
                == ["+ [0]: 0", "- [1]: 2", "- [3]: 4", "+ [3]: 5"])
    }

    @Test func aStateDiffComparesElementsWithAnIdWithThemselves() {
        let old = Shelf()
        var new = old
        new.books.insert(Book(id: 3, title: "Emil"), at: 0)
        new.books[1].title = "Momo!"
        #expect(
            StateDiff(from: old, to: new).lines == [
                "+ books[id: 3].id: 3", "+ books[id: 3].title: \"Emil\"",
                "- books[id: 1].title: \"Momo\"", "+ books[id: 1].title: \"Momo!\"",
            ])
        new = old
        new.books.swapAt(0, 1)
        #expect(
            StateDiff(from: old, to: new).lines
                == ["- books[id: 1]: at 0", "+ books[id: 1]: at 1"])
        new.books = [old.books[1]]
        #expect(
            StateDiff(from: old, to: new).lines
                == ["- books[id: 1].id: 1", "- books[id: 1].title: \"Momo\""])
    }

    @Test func aStateDiffComparesLongArraysWithNothingInCommonByPlace() {
        let lines = StateDiff(from: Array(0..<3000), to: Array(5000..<8000)).lines
        #expect(lines.count == 6000)
        #expect(lines.prefix(2) == ["- [0]: 0", "+ [0]: 5000"])
        #expect(StateDiff(from: Array(0..<3000), to: Array(-1..<3000)).lines == ["+ [0]: -1"])
    }

    @Test func aStateDiffDoesNotFollowACycleOfObjects() {
        let (first, second) = (Node(), Node())
        first.next = first
        second.next = second
        second.value = 2
        #expect(StateDiff(from: first, to: second).lines == ["- value: 1", "+ value: 2"])
        first.next = nil
        second.next = nil
    }
}
