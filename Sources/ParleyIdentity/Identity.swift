import HTTPClient
import Logging
import OpenSSL
import ParleyProtocol
import Platform
import Sodium
