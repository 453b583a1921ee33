import { worker } from '../../domain/audit/audit.ts'
import type { Link } from '../../domain/link.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Settings } from '../../domain/settings.ts'
import { resume } from '../../provisioning/flows/sweep-links.ts'

/** Bounds a turn, so that a stopping process does not wait for a whole import. */
const rowsPerTurn = 400

/** Returns how many rows were started. If the process dies, the sweep continues their links. */
export async function workOnImports(ports: Ports, settings: Settings): Promise<number> {
  const underWay = new Set<Promise<void>>()
  const errors: unknown[] = []
  const continueLink = async (link: Link): Promise<void> => {
    try {
      await resume(ports, settings, link)
    } catch (error) {
      errors.push(error)
    }
  }
  const begin = (link: Link) => {
    const work = continueLink(link).finally(() => underWay.delete(work))
    underWay.add(work)
  }
  let started = 0
  while (started < rowsPerTurn && errors.length === 0) {
    const limit = Math.min(settings.importsAtOnce - underWay.size, rowsPerTurn - started)
    const links = await ports.links.openImported({ limit }, { action: 'link.imported', actor: worker })
    for (const link of links) begin(link)
    started += links.length
    if (links.length === 0) break
    await roomFor(underWay, settings.importsAtOnce)
  }
  await Promise.all(underWay)
  if (errors.length > 0) throw errors[0]
  return started
}

/** Rows are opened in batches, so wait until a quarter of the slots is free. */
async function roomFor(underWay: ReadonlySet<Promise<void>>, atOnce: number): Promise<void> {
  while (underWay.size > Math.floor((atOnce * 3) / 4)) await Promise.race(underWay)
}
