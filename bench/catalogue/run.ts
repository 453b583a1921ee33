// Measures the time to load the catalogue, its memory, and the time of a search.
import { performance } from 'node:perf_hooks'
import { pageOfItems } from '../../src/onboarding/domain/catalogue/catalogue-item.ts'
import { catalogue } from '../../src/onboarding/integrations/catalogue.ts'

const heapMb = () => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed / 1024 / 1024
}

const timed = <T>(work: () => T): [T, number] => {
  const from = performance.now()
  const made = work()
  return [made, performance.now() - from]
}

const words = ['google mail', 'crm', 'pipedrive', 'a', 'no such app', 'accounting xero', 'calendar', 'micro']

const before = heapMb()
const cpuBefore = process.cpuUsage()
const [loaded, loadMs] = timed(() => catalogue([], 'https://connect.example'))
const loadCpu = process.cpuUsage(cpuBefore)
const [items, itemsMs] = timed(() => loaded.items())
const [, profilesMs] = timed(() => items.map(({ id }) => loaded.find(id)))
const after = heapMb()

const searches = Array.from({ length: 4_000 }, (_, at) => {
  const q = words[at % words.length]
  return timed(() => pageOfItems(items, { q, limit: 50 }, new Date()))[1]
}).sort((one, other) => one - other)

const shown = (ms: number) => Number(ms.toFixed(2))
process.stdout.write(
  `${JSON.stringify({
    providers: new Set(items.map(({ about }) => about?.id)).size,
    products: items.length,
    loadMs: shown(loadMs),
    // CPU time, because wall time depends on other load of the machine.
    loadCpuMs: shown((loadCpu.user + loadCpu.system) / 1_000),
    firstListMs: shown(itemsMs),
    everyProfileMs: shown(profilesMs),
    heapMb: shown(after - before),
    searchMedianMs: shown(searches[2_000] ?? 0),
    searchSlowestMs: shown(searches.at(-1) ?? 0),
  })}\n`,
)
