import { unconfinedAccounts } from '../../domain/account-door.ts'
import { type Engine, type EngineRun, notStarted } from '../../domain/engine.ts'
import { homeFolder } from './bubblewrap.ts'
import { type Confinement, type ConfinementOptions, findConfinement, unavailable } from './confinement.ts'
import { runCommand } from './run-command.ts'
import { programPath } from './start-bubblewrap.ts'

export function bubblewrapEngine(options: ConfinementOptions): Engine {
  const confinement = lazyConfinement(options)
  return {
    kind: 'bubblewrap',
    async problem() {
      const found = await confinement()
      return found.kind === 'unavailable' ? found.reason : undefined
    },
    async run(run) {
      const found = await confinement()
      if (found.kind === 'unavailable') return notStarted('unavailable', found.reason)
      if (run.door && found.kind === 'unconfined') return notStarted('unavailable', unconfinedAccounts)
      return runCommand(found, { ...run, confined: { ...run, env: environmentOf(run), workingFolder: folderOf(run) } })
    },
  }
}

const environmentOf = ({ env }: EngineRun) => ({ ...env, PATH: programPath, HOME: homeFolder })

const folderOf = ({ workingFolder }: EngineRun) => workingFolder ?? homeFolder

/** Checked on first use, and again while unavailable, because an operator may install it. */
function lazyConfinement(options: ConfinementOptions): () => Promise<Confinement> {
  let found: Promise<Confinement> | undefined
  return async () => {
    found ??= tryConfinement(options, () => {
      found = undefined
    })
    return found
  }
}

/** Readiness probes ask as well, and an attempt starts processes. */
const tryAgainMs = 2_000

async function tryConfinement(options: ConfinementOptions, forget: () => void): Promise<Confinement> {
  const confinement = await findConfinement(options).catch(() => unavailable('could not be tried'))
  if (confinement.kind !== 'confined') setTimeout(forget, tryAgainMs).unref()
  return confinement
}
