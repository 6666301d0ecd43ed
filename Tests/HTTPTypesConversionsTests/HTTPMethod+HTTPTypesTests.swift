#if HTTPTypes
import PledgeHTTPNetworking
import HTTPTypes
import PledgeHTTPTypesConversions
import Testing

struct HTTPMethodConversionTests {
    @Test(arguments: ["GET", "QUERY", "PURGE", "get", "M-SEARCH", "!#$%&'*+-.^_`|~"])
    func keepsTheWord(_ word: String) {
        let method = HTTPTypes.HTTPRequest.Method(HTTPMethod(rawValue: word))
        #expect(method?.rawValue == word)
        #expect(method.map { HTTPMethod($0) } == HTTPMethod(rawValue: word))
    }

    @Test(arguments: ["", "GET ", "GÉT", "GET\r\nX: y", "a:b"])
    func hasNoneForAWordThatIsNoToken(_ word: String) {
        #expect(HTTPTypes.HTTPRequest.Method(HTTPMethod(rawValue: word)) == nil)
    }
}
#endif
