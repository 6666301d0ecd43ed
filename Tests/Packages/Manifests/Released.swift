// The line of an app's manifest that depends on a released version, for Docs/Guides/Install.md; `.ci/pages` compiles it.
import PackageDescription

// snippet: released
let released = Package.Dependency.package(
    url: "https://git.example/pledge.git", from: "0.1.0")
// end snippet
