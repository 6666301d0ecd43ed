import Testing

@Suite struct FenceTests {
    private func infos(_ document: String) -> [String] { Fence.all(in: document).map(\.info) }

    @Test func linesAndInfo() {
        let fences = Fence.all(in: "a\n```swift X#y\none\n\n  two\n```\nb\n~~~text\n~~~")
        #expect(fences.map(\.line) == [2, 8])
        #expect(fences.map(\.info) == ["swift X#y", "text"])
        #expect(fences.map(\.lines) == [["one", "", "  two"], []])
        #expect(fences.map(\.source) == ["X#y", nil])
        #expect(fences.map(\.language) == ["swift", "text"])
    }

    @Test func aLongerFenceHoldsAShorter() {
        let fences = Fence.all(in: "````text\n```swift\n```\n````")
        #expect(fences.count == 1)
        #expect(fences[0].lines == ["```swift", "```"])
    }

    @Test func inListsAndQuotes() {
        #expect(infos("1. ```swift\n   x\n   ```") == ["swift"])
        #expect(infos("- item\n\n    ```swift\n    x\n    ```") == ["swift"])
        #expect(Fence.all(in: "```text\n- ```\n```").map(\.lines) == [["- ```"]])
        #expect(infos("> ```swift\n> x\n> ```") == ["swift"])
    }

    @Test func inlineCodeIsNoFence() {
        #expect(infos("```inline``` and more\n`one` ``two``") == [])
    }

    @Test func anOpenFence() {
        let fences = Fence.all(in: "```swift\nx")
        #expect(fences.map(\.isClosed) == [false])
    }

    @Test func windowsLineEnds() {
        let fences = Fence.all(in: "```swift X#y\r\none\r\n```\r\n")
        #expect(fences.map(\.isClosed) == [true])
        #expect(fences.first?.lines == ["one"])
    }
}
