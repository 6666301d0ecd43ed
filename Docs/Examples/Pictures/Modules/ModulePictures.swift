import Foundation
import PledgeSimulation
import Testing

/// The modules and their arrows.
@Suite struct ModulePictures {
    /// Where the first module of a group stands: the middle of its box, and the row from above.
    private static let places: [String: (x: Double, row: Int)] = [
        "TransportChecks": (584, 0), "OpenTelemetryInstrumentation": (255, 0),
        "PledgeTesting": (600, 1), "Articles": (426, 1), "Observation": (629, 2),
        "Pledge": (435, 3), "Storage": (715, 3), "Stores": (156, 2), "PledgeHTTP": (308, 4),
        "InMemoryTransport": (105, 4), "URLSessionTransport": (348, 5), "HTTPClients": (597, 5),
        "Composition": (711, 5), "HTTPAuthentication": (96, 6), "Simulation": (413, 6),
        "AsyncHTTPClientTransport": (655, 9), "LibcurlTransport": (572, 8),
        "HTTPNetworking": (193, 9), "HTTPTypesConversions": (670, 10), "Admission": (345, 10),
        "HTTPTransportKit": (470, 10), "HTTPMessages": (681, 11), "Services": (418, 12),
        "HTTPText": (687, 13), "Futures": (351, 13),
    ]
    /// How far apart the rows begin, of which a group of modules takes several.
    private static let rowHeight = 42.0
    private static let line = 26.0

    @Test func modules() throws {
        let arrows = try ModuleArrows(of: .this)
        #expect(arrows.uses.count == 28)
        var picture = Picture(
            "modules", title: "The modules and their arrows",
            description: """
                Arrows lead from each module to the modules that it imports, all downwards: from \
                TransportChecks over PledgeTesting, Pledge, the clients, the parts of HTTP and the transports to HTTPNetworking, \
                and from there over HTTPTransportKit and HTTPMessages to Services and Futures. Arrows that follow from others are left out.
                """)
        var boxes: [[String]: PictureBox] = [:]
        for group in arrows.groups {
            let place = try #require(Self.places[group[0]], "no place for \(group)")
            boxes[group] = box(of: group, place)
        }
        for line in lines(between: boxes, of: arrows) {
            picture.addArrow(from: line[0], to: line[1])
            for box in boxes.values { #expect(!crosses(line, box)) }
        }
        for (group, box) in boxes.sorted(by: { $0.key[0] < $1.key[0] }) {
            draw(group, box, in: &picture)
        }
        try picture.check()
    }

    @Test func arrowsThatFollowFromOthersAreLeftOut() {
        let arrows = ModuleArrows(uses: [
            "A": ["Base"], "B": ["Base"], "Top": ["A", "B", "Base"], "Base": [],
        ])
        #expect(arrows.direct == ["A": ["Base"], "B": ["Base"], "Top": ["A", "B"], "Base": []])
        #expect(arrows.groups == [["A", "B"], ["Base"], ["Top"]])
    }

    /// The ends of each arrow.
    private func lines(
        between boxes: [[String]: PictureBox], of arrows: ModuleArrows
    ) -> [[PicturePoint]] {
        let sorted = boxes.sorted { $0.key[0] < $1.key[0] }
        return sorted.flatMap { group, box in
            let used = arrows.direct[group[0]] ?? []
            return sorted.filter { !used.isDisjoint(with: $0.key) }.map { _, target in
                [end(of: box, towards: target), start(of: target, from: box)]
            }
        }
    }

    private func box(of group: [String], _ place: (x: Double, row: Int)) -> PictureBox {
        let width = (group.map { PictureTextStyle.code.width(of: $0) }.max() ?? 0) + 20
        let height = Double(group.count) * Self.line + (group.count > 1 ? 12 : 4)
        return PictureBox(
            x: place.x - width / 2, y: 4 + Double(place.row) * Self.rowHeight, width: width,
            height: height)
    }

    private func draw(_ group: [String], _ box: PictureBox, in picture: inout Picture) {
        if group.count > 1 { picture.add(.rect(box, .frame, radius: 6)) }
        for (index, name) in group.enumerated() {
            let inset = group.count > 1 ? 6.0 : 0
            let height = group.count > 1 ? Self.line - 4 : box.height
            let y = box.y + inset + Double(index) * Self.line + (group.count > 1 ? 2 : 0)
            let own = PictureBox(
                x: box.x + inset, y: y, width: box.width - 2 * inset, height: height)
            picture.add(.rect(own, .box))
            picture.add(
                .text(name, at: PicturePoint(x: own.middle.x, y: own.middle.y + 4), .code, .middle))
        }
    }

    private func end(of box: PictureBox, towards target: PictureBox) -> PicturePoint {
        let shift = (target.middle.x - box.middle.x) * 0.15
        let most = box.width / 2 - 8
        return PicturePoint(x: box.middle.x + min(max(shift, -most), most), y: box.bottom)
    }

    private func start(of target: PictureBox, from box: PictureBox) -> PicturePoint {
        let shift = (box.middle.x - target.middle.x) * 0.15
        let most = target.width / 2 - 8
        return PicturePoint(x: target.middle.x + min(max(shift, -most), most), y: target.y)
    }

    /// Whether a line leads through a box, not only to its edge.
    private func crosses(_ line: [PicturePoint], _ box: PictureBox) -> Bool {
        (1..<100).contains { step in
            let share = Double(step) / 100
            let point = PicturePoint(
                x: line[0].x + (line[1].x - line[0].x) * share,
                y: line[0].y + (line[1].y - line[0].y) * share)
            return point.x > box.x && point.x < box.right && point.y > box.y
                && point.y < box.bottom
        }
    }
}
