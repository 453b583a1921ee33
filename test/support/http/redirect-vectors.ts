// Addresses that have led redirects astray, here or elsewhere. `lands` is where a browser would go (WHATWG URL), so
// that a change of the parser shows; undefined if it is no URL at all. None of them may pass as a return URL
// where only https://good.example/return is registered.
export type RedirectVector = { raw: string; reason: string; lands: string | undefined }

const vector = (reason: string, raw: string, lands: string | undefined): RedirectVector => ({ raw, reason, lands })

export const registered = 'https://good.example/return'

/** Not sound as addresses: they cannot even be registered. */
export const unsoundAddresses: readonly RedirectVector[] = [
  vector('no scheme', '//evil.example/return', undefined),
  vector('a path only', '/return', undefined),
  vector('slash and backslash', '/\\evil.example', undefined),
  vector('slash and tab', '/\t/evil.example', undefined),
  vector('backslashes for slashes', 'https:\\\\evil.example/return', 'evil.example'),
  vector('one slash', 'https:/evil.example/return', 'evil.example'),
  vector('no slash', 'https:evil.example/return', 'evil.example'),
  vector('three slashes', 'https:///evil.example/return', 'evil.example'),
  vector('user name', 'https://good.example@evil.example/return', 'evil.example'),
  vector('user name and password', 'https://good.example:443@evil.example/return', 'evil.example'),
  vector('empty user name', 'https://@evil.example/return', 'evil.example'),
  vector('backslash before an at sign', 'https://good.example\\@evil.example/return', 'good.example'),
  vector('encoded slash before an at sign', 'https://good.example%2f@evil.example/return', 'evil.example'),
  vector('tab inside', 'https://good.exa\tmple/return', 'good.example'),
  vector('newline inside', 'https://good.example/re\nturn', 'good.example'),
  vector('carriage return and a header', 'https://good.example/return\r\nX-Admin: 1', 'good.example'),
  vector('space before', ' https://good.example/return', 'good.example'),
  vector('space after', 'https://good.example/return ', 'good.example'),
  vector('null byte', 'https://good.example/return\u0000', 'good.example'),
  vector('non-breaking space', 'https://good.example/return\u00a0', 'good.example'),
  vector('line separator', 'https://good.example/return\u2028', 'good.example'),
  vector('fullwidth letters', 'https://ｇood.example/return', 'good.example'),
  vector('circled letters', 'https://ⓖood.example/return', 'good.example'),
  vector('ideographic full stop', 'https://good。example/return', 'good.example'),
  vector('capital letters in the host', 'https://GOOD.example/return', 'good.example'),
  vector('capital letters in the scheme', 'HTTPS://good.example/return', 'good.example'),
  vector('the usual port, written out', 'https://good.example:443/return', 'good.example'),
  vector('two dots in the path', 'https://good.example/a/../return', 'good.example'),
  vector('encoded dots in the path', 'https://good.example/a/%2e%2e/return', 'good.example'),
  vector('a fragment', 'https://good.example/return#part', 'good.example'),
  vector('an empty fragment', 'https://good.example/return#', 'good.example'),
  vector('no path', 'https://good.example', 'good.example'),
  vector('plain http', 'http://good.example/return', 'good.example'),
  vector('a script', 'javascript:alert(1)//https://good.example/return', ''),
  vector('data', 'data:text/html,<script>alert(1)</script>', ''),
  vector('a blob of the good origin', 'blob:https://good.example/x', ''),
  vector('a file', 'file:///etc/passwd', ''),
  vector('view-source', 'view-source:https://good.example/return', ''),
  vector('an app’s scheme', 'myapp://good.example/return', 'good.example'),
  vector('websocket', 'wss://good.example/return', 'good.example'),
  vector('loopback as one number, without TLS', 'http://2130706433/return', '127.0.0.1'),
  vector('loopback in hexadecimal, without TLS', 'http://0x7f.1/return', '127.0.0.1'),
  vector('loopback shortened, without TLS', 'http://127.1/return', '127.0.0.1'),
  vector('a name that only begins like loopback', 'http://localhost.evil.example/return', 'localhost.evil.example'),
  vector('our own parameter status', 'https://good.example/return?status=linked', 'good.example'),
  vector('our own parameter completion_code', 'https://good.example/return?completion_code=x', 'good.example'),
  vector('our own parameter sig', 'https://good.example/return?a=1&sig=x', 'good.example'),
  vector('our own parameter, encoded', 'https://good.example/return?%73tatus=linked', 'good.example'),
  vector('nothing', '', undefined),
  vector('a broken host', 'https://good.example:port/return', undefined),
  vector('a lone percent sign in the host', 'https://good%.example/return', undefined),
]

/** Sound addresses that merely resemble the registered one: they may be registered, but not taken for it. */
export const lookAlikes: readonly RedirectVector[] = [
  vector('a longer host', 'https://good.example.evil.example/return', 'good.example.evil.example'),
  vector('a longer name', 'https://notgood.example/return', 'notgood.example'),
  vector('a subdomain', 'https://a.good.example/return', 'a.good.example'),
  vector('a dot after the host', 'https://good.example./return', 'good.example.'),
  vector('another port', 'https://good.example:8443/return', 'good.example'),
  vector('a longer path', 'https://good.example/return/more', 'good.example'),
  vector('a slash at the end', 'https://good.example/return/', 'good.example'),
  vector('a query', 'https://good.example/return?next=https://evil.example', 'good.example'),
  vector('an empty query', 'https://good.example/return?', 'good.example'),
  vector('another letter case in the path', 'https://good.example/Return', 'good.example'),
  vector('an encoded letter in the path', 'https://good.example/%72eturn', 'good.example'),
  vector('two slashes in the path', 'https://good.example//return', 'good.example'),
  vector('a look-alike letter', 'https://xn--god-dta.example/return', 'xn--god-dta.example'),
  vector('an inner address', 'https://127.0.0.1/return', '127.0.0.1'),
]
