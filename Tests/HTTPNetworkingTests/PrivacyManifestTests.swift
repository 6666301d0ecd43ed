import Foundation
import Testing

/// Apple refuses an app that calls certain functions without a reason in a privacy manifest.
@Suite struct PrivacyManifestTests {
    private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../Sources").standardizedFileURL

    private struct Manifest: Decodable {
        struct Access: Decodable {
            let type: String
            let reasons: [String]

            private enum CodingKeys: String, CodingKey {
                case type = "NSPrivacyAccessedAPIType"
                case reasons = "NSPrivacyAccessedAPITypeReasons"
            }
        }

        let isTracking: Bool
        let accesses: [Access]

        private enum CodingKeys: String, CodingKey {
            case isTracking = "NSPrivacyTracking"
            case accesses = "NSPrivacyAccessedAPITypes"
        }
    }

    /// Apple's list of functions for each category, as they are written in Swift and C.
    private static let functions: [(category: String, pattern: String)] = [
        (
            "FileTimestamp",
            #"\b(l|f)?stat(at)?\(|getattrlist|[cC]reationDate|[mM]odificationDate"#
        ),
        ("SystemBootTime", #"systemUptime|mach_absolute_time"#),
        (
            "DiskSpace",
            #"\bf?statv?fs\(|volumeAvailableCapacity|volumeTotalCapacity|systemFreeSize|systemSize"#
        ),
        ("UserDefaults", #"UserDefaults|AppStorage"#),
        ("ActiveKeyboards", #"activeInputModes"#),
    ]

    /// The categories that the code of a module needs a reason for.
    private func needed(by module: URL) throws -> Set<String> {
        let files = FileManager.default.enumerator(at: module, includingPropertiesForKeys: nil)
        var found: Set<String> = []
        while let file = files?.nextObject() as? URL {
            guard ["swift", "c", "h"].contains(file.pathExtension) else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            for (category, pattern) in Self.functions
            where text.range(of: pattern, options: .regularExpression) != nil {
                found.insert("NSPrivacyAccessedAPICategory\(category)")
            }
        }
        return found
    }

    @Test func itNamesAReasonForEachFunctionThatNeedsOne() throws {
        let modules = try FileManager.default.contentsOfDirectory(
            at: Self.sources, includingPropertiesForKeys: nil)
        #expect(modules.count > 10)
        for module in modules where !["quickstart", "simulate"].contains(module.lastPathComponent) {
            let data = try? Data(
                contentsOf: module.appendingPathComponent("PrivacyInfo.xcprivacy"))
            let manifest = try data.map {
                try PropertyListDecoder().decode(Manifest.self, from: $0)
            }
            let declared = manifest?.accesses.filter { !$0.reasons.isEmpty }.map(\.type) ?? []
            #expect(try needed(by: module) == Set(declared), "\(module.lastPathComponent)")
            #expect(manifest?.isTracking != true)
        }
    }
}
