#if AsyncHTTPClient
import Testing
#endif
