extension Picture {
    /// A straight line with a head at its end.
    mutating func addArrow(
        from start: PicturePoint, to end: PicturePoint, _ style: PictureStyle = .arrow
    ) {
        add(.lines([start, end], style))
        addHead(at: end, from: start)
    }

    /// A curved line with a head at its end.
    mutating func addArrow(
        from start: PicturePoint, _ pulls: (PicturePoint, PicturePoint), to end: PicturePoint,
        _ style: PictureStyle = .arrow
    ) {
        add(.curve(start, pulls, end, style))
        addHead(at: end, from: pulls.1)
    }

    private mutating func addHead(at end: PicturePoint, from start: PicturePoint) {
        let (x, y) = (end.x - start.x, end.y - start.y)
        let length = (x * x + y * y).squareRoot()
        guard length > 0 else { return }
        let (along, across) = ((x: x / length * 9, y: y / length * 9), 0.45)
        let back = PicturePoint(x: end.x - along.x, y: end.y - along.y)
        add(
            .lines(
                [
                    end,
                    PicturePoint(x: back.x - along.y * across, y: back.y + along.x * across),
                    PicturePoint(x: back.x + along.y * across, y: back.y - along.x * across),
                ], .head, isClosed: true))
    }
}
