import { readFileSync } from 'node:fs'
import { StartError } from '../../kit/process/start-error.ts'
import type { World } from '../compose.ts'
import { type ChainName, deploymentChain, headJws } from '../domain/audit/audit-chain.ts'
import { chainProblems, type SavedHead } from '../domain/audit/verify-chain.ts'
import { verifyChain } from '../flows/verify-audit.ts'
import type { Print } from './keys.ts'

type VerifyOptions = { tenant: string | undefined; heads: string | undefined }

const progressEveryMs = 5_000

/** Exits with 1 if an entry is not as it was sealed. */
export async function verifyAudit(
  { auditChains }: Pick<World, 'auditChains'>,
  { tenant, heads }: VerifyOptions,
  print: Print,
): Promise<void> {
  const saved = heads === undefined ? [] : readHeads(heads)
  const chains = tenant === undefined ? await allChains(auditChains, saved) : [tenant]
  let [broken, entries] = [0, 0]
  for (const chain of chains) {
    const { verified, finding } = await verifyChain(auditChains, { chain, saved, onProgress: progress(chain, print) })
    entries += verified
    if (!finding) continue
    broken++
    print({ ...namedAs(chain), ...finding, detail: chainProblems[finding.problem] })
  }
  print({ chains: chains.length, broken, verified: entries })
  if (broken > 0) throw new StartError(broken === 1 ? 'one audit chain is broken' : `${broken} audit chains are broken`)
}

/** The heads of all chains: kept elsewhere, they show that a chain was cut or replaced. */
export async function printHeads({ auditChains }: Pick<World, 'auditChains'>, print: Print): Promise<void> {
  for (const chain of await auditChains.names()) {
    const tail = await auditChains.tail(chain)
    if (tail) print({ ...namedAs(chain), position: tail.last, head: headJws(tail) })
  }
}

const namedAs = (chain: ChainName) => (chain === deploymentChain ? {} : { tenantId: chain })

async function allChains(auditChains: World['auditChains'], saved: readonly SavedHead[]): Promise<ChainName[]> {
  return [...new Set([...(await auditChains.names()), ...saved.map(({ chain }) => chain)])]
}

function progress(chain: ChainName, print: Print) {
  let reportedAt = Date.now()
  return (position: number) => {
    if (Date.now() - reportedAt < progressEveryMs) return
    reportedAt = Date.now()
    print({ ...namedAs(chain), verifiedSoFar: position })
  }
}

/** Lines of `audit heads`, or of exported files. */
function readHeads(file: string): SavedHead[] {
  const refused = (line: number) => new StartError(`${file}, line ${line}: not a head as audit heads prints it`)
  return contentOf(file)
    .split('\n')
    .flatMap((text, at) => {
      const line = text.trim()
      // Most records of an export have no head.
      if (line === '' || (line.startsWith('{') && !line.includes('"head"'))) return []
      return [savedHead(line) ?? refuse(refused(at + 1))]
    })
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new StartError(`cannot read ${file}`)
  }
}

function refuse(error: Error): never {
  throw error
}

function savedHead(line: string): SavedHead | undefined {
  try {
    const jws = line.startsWith('{') ? JSON.parse(line).head : line
    const {
      tenantId = deploymentChain,
      position,
      hash,
    } = JSON.parse(Buffer.from(String(jws).split('.')[1] ?? '', 'base64url').toString())
    return Number.isInteger(position) && typeof hash === 'string' ? { chain: tenantId, position, hash } : undefined
  } catch {
    return undefined
  }
}
