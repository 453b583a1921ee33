// RFC 9110 §11.6.1: `WWW-Authenticate` as a list of challenges. Commas separate challenges and also the parameters of
// one, so it is read sign by sign and not split.

export type Challenge = { scheme: string; parameters: Record<string, string> }

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const parameter = new RegExp(`^(${token})[ \\t]*=[ \\t]*(?:"((?:[^"\\\\]|\\\\.)*)"|(${token}))`)
const scheme = new RegExp(`^(${token})(?=[ \\t,]|$)`)
/** A credential instead of parameters, as `Negotiate` has it. */
const token68 = /^[A-Za-z0-9._~+/-]+=*(?=[ \t]*(?:,|$))/

/** What cannot be read ends the list: what was read before stands. */
export function challengesIn(header: string): Challenge[] {
  const challenges: Challenge[] = []
  let rest = header.slice(0, longest)
  for (;;) {
    rest = rest.replace(/^[ \t,]+/, '')
    const pair = parameter.exec(rest)
    const current = challenges.at(-1)
    if (pair && current) {
      const [whole, name = '', quoted, plain = ''] = pair
      current.parameters[name.toLowerCase()] ??= quoted?.replace(/\\(.)/g, '$1') ?? plain
      rest = rest.slice(whole.length)
      continue
    }
    const [name = ''] = scheme.exec(rest) ?? []
    if (name === '') return challenges
    challenges.push({ scheme: name.toLowerCase(), parameters: {} })
    rest = rest.slice(name.length).replace(/^[ \t]+/, '')
    if (!parameter.test(rest)) rest = rest.replace(token68, '')
  }
}

/** More than any server has reason to say. */
const longest = 8_192

/** The parameters for bearer tokens (RFC 6750 §3, RFC 9728 §5.1); undefined if no such challenge is there. */
export const bearerChallenge = (header: string | undefined): Record<string, string> | undefined =>
  challengesIn(header ?? '').find((challenge) => challenge.scheme === 'bearer')?.parameters
