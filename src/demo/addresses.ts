// Acme and Filebox listen on `localhost`, Causeway and the platform on `127.0.0.1`. For browsers these are different
// sites, so cookies behave as between real companies.
import { freePort } from '../kit/embedded/free-port.ts'
import { StartError } from '../kit/process/start-error.ts'

const parts = {
  portal: { usual: 3300, name: 'localhost', variable: 'PORTAL_PORT' },
  onboarding: { usual: 3000, name: '127.0.0.1', variable: 'ONBOARDING_PORT' },
  platform: { usual: 3100, name: '127.0.0.1', variable: 'PLATFORM_PORT' },
  filebox: { usual: 3200, name: 'localhost', variable: 'FILEBOX_PORT' },
} as const

type Part = keyof typeof parts

type Address = { host: string; port: number; url: string }

export type Addresses = Record<Part, Address>

export async function chooseAddresses(fixed: Record<Part, number | undefined>): Promise<Addresses> {
  const names = Object.keys(parts) as Part[]
  const chosen = await Promise.all(names.map(async (part) => [part, await choose(part, fixed[part])] as const))
  return Object.fromEntries(chosen) as Addresses
}

async function choose(part: Part, fixed: number | undefined): Promise<Address> {
  const { usual, name, variable } = parts[part]
  const port = await freePort(fixed ?? usual)
  if (fixed && port !== fixed) throw new StartError(`${variable}: port ${fixed} is taken, choose another one`)
  return { host: '127.0.0.1', port, url: `http://${name}:${port}` }
}
