import Testing

@testable import parley

@Suite("Pictures in a terminal")
struct PictureSupportTests {
    @Test(
        "the environment says whether a terminal has kitty's protocol, and else the terminal is asked",
        arguments: [
            (["KITTY_WINDOW_ID": "1"], .kitty), (["TERM": "xterm-kitty"], .kitty), (["TERM": "xterm-ghostty"], .kitty),
            (["TERM_PROGRAM": "WezTerm"], .kitty), (["TERM": "xterm-256color"], nil), ([:], nil),
            (["TERM": "xterm-kitty", "TMUX": "/tmp/x"], nil), (["KITTY_WINDOW_ID": "1", "STY": "1"], nil),
        ] as [([String: String], PictureSupport?)])
    func support(variables: [String: String], support: PictureSupport?) {
        #expect(PictureSupport { variables[$0] } == support)
    }

    @Test(
        "a terminal has sixels if it lists attribute 4, and not if its class is 4",
        arguments: [
            ([62, 4, 22], .sixel), ([64, 1, 2, 6, 9, 4], .sixel), ([62, 22], .none), ([4, 6], .none), ([1, 2], .none),
            ([], .none),
        ] as [([Int], PictureSupport)])
    func attributes(attributes: [Int], support: PictureSupport) {
        #expect(PictureSupport(attributes: attributes) == support)
    }
}
