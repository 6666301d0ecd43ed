// snippet: imports
import Pledge
// end snippet
import Testing

/// The code of Docs/Policies/Paginate.md.
@Suite struct PaginateExamples {
    // snippet: page
    struct Page: Sendable {
        var items: [String]
        var cursor: String?
    }
    // end snippet

    // snippet: load
    let loadPage: Service<String?, Page> = { cursor in
        switch cursor {
        case nil: Future(value: Page(items: ["a", "b"], cursor: "2"))
        case "2": Future(value: Page(items: ["c", "d"], cursor: "3"))
        default: Future(value: Page(items: ["e"]))
        }
    }
    // end snippet

    @Test func usage() async throws {
        let loadPage = loadPage
        let shown = ExampleLog()
        let print: @Sendable ([String]) -> Void = { shown.add($0.joined()) }
        // snippet: usage
        let pages = paginate(loadPage, from: nil) { page, _ in page.cursor }
        for try await page in pages {
            print(page.items)  // the page after it is being loaded
        }
        // end snippet
        #expect(shown.lines == ["ab", "cd", "e"])
    }

    @Test func numbers() async throws {
        // snippet: numbers
        let load: Service<Int, [String]> = { number in
            Future(value: number < 3 ? ["\(number)"] : [])
        }
        let pages = paginate(load, from: 1) { items, number in
            items.isEmpty ? nil : number + 1
        }
        var all: [String] = []
        for try await items in pages { all += items }
        // end snippet
        #expect(all == ["1", "2"])
    }

    @Test func someOfThem() async throws {
        let loadPage = loadPage
        // snippet: search
        let pages = paginate(loadPage, from: nil) { page, _ in page.cursor }
        let found = try await pages.first { @Sendable page in page.items.contains("c") }
        // end snippet
        #expect(found?.cursor == "3")
    }

    @Test func withPolicies() async throws {
        let loadPage = loadPage
        // snippet: policies
        let scheduler = ManualScheduler()
        let patient = stack(
            .retry(on: scheduler), .timeout(.seconds(2), on: scheduler), over: loadPage)
        let load = stack(
            .deadline(.seconds(30), on: scheduler),
            over: { (_: Void) in
                Future {
                    var items: [String] = []
                    let pages = paginate(patient, from: nil) { page, _ in page.cursor }
                    for try await page in pages { items += page.items }
                    return items
                }
            })
        // end snippet
        #expect(try await load(()).value == ["a", "b", "c", "d", "e"])
    }

    @Test func endless() async throws {
        // snippet: endless
        let load: Service<Int, [String]> = { number in Future(value: ["\(number)"]) }
        let pages = paginate(load, from: 1, maxPages: 100) { _, number in number }
        do {
            for try await _ in pages {}
        } catch let error as ServiceError where error.code == .tooManyPages {
            print(error)
        }
        // end snippet
        await #expect(throws: ServiceError.self) { for try await _ in pages {} }
    }
}
