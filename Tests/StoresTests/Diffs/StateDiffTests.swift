import Stores
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

    @Test func equalValuesDoNotDiffer() {
        #expect(lines { _ in }.isEmpty)
        #expect(StateDiff(from: 1, to: 1).lines.isEmpty)
    }

    @Test func aPropertyIsNamedByItsPath() {
        #expect(lines { $0.name = "Tangent" } == ["- name: \"Tan\"", "+ name: \"Tangent\""])
        #expect(StateDiff(from: 1, to: 2).lines == ["- 1", "+ 2"])
        #expect(StateDiff(from: 1, to: 2).description == "- 1\n+ 2")
    }

    @Test func collectionsAreComparedByPlaceAndByKey() {
        #expect(lines { $0.tries = [4] } == ["- tries: []", "+ tries[0]: 4"])
        #expect(lines { $0.marks = ["x"] } == ["- marks: []", "+ marks[\"x\"]: contained"])
        #expect(
            lines { $0.byKey = ["a": 2, "b": 3] }
                == ["- byKey[\"a\"]: 1", "+ byKey[\"a\"]: 2", "+ byKey[\"b\"]: 3"])
    }

    @Test func missingValuesAndCasesAreTold() {
        #expect(lines { $0.error = "no" } == ["- error: nil", "+ error: \"no\""])
        #expect(lines { $0.step = .loading(2) } == ["- step: .idle", "+ step.loading: 2"])
        #expect(
            lines { $0.step = .loaded(name: "a", age: 3) }
                == ["- step: .idle", "+ step.loaded.name: \"a\"", "+ step.loaded.age: 3"])
    }

    @Test func aCycleOfObjectsIsNotFollowed() {
        let (first, second) = (Node(), Node())
        first.next = first
        second.next = second
        second.value = 2
        #expect(StateDiff(from: first, to: second).lines == ["- value: 1", "+ value: 2"])
        first.next = nil
        second.next = nil
    }
}
