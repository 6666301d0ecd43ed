#if AsyncHTTPClient
import HTTPNetworking
#endif
