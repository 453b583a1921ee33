import type pg from 'pg'
import type { Keyring } from '../../../../kit/crypto/sealed-box.ts'
import { closeAll } from '../../../../kit/process/program.ts'
import { previewTokens } from '../../../shared/adapters/preview-tokens.ts'
import type { Engine } from '../../../shared/domain/engine.ts'
import { containerFiles } from '../containers/container-files.ts'
import { postgresContainerUses } from '../containers/container-uses.ts'
import { scaledContainers } from '../containers/scaled-containers.ts'
import { diskSandboxFiles } from '../sandbox-files.ts'
import { postgresRemovedFolders } from './removed-folders.ts'
import { sandboxCommands } from './sandbox-commands.ts'
import { sandboxPorts } from './sandbox-ports.ts'
import { postgresSandboxProcesses } from './sandbox-processes.ts'
import { postgresSandboxUses } from './sandbox-uses.ts'

type Stores = { pool: pg.Pool; engine: Engine }

type Settings = {
  dataFolder: string
  encryptionKeys: Keyring
  gateway: { silentMs: number }
  sandboxIdleSeconds: number
}

export function sandboxAdapters(
  { pool, engine }: Stores,
  { dataFolder, encryptionKeys, gateway, sandboxIdleSeconds }: Settings,
) {
  const ports = sandboxPorts(engine, { silentForMs: gateway.silentMs })
  const uses = postgresContainerUses(pool, sandboxIdleSeconds)
  const scaled = engine.containers?.connect && scaledContainers({ containers: engine.containers, ports, uses })
  return {
    engine,
    files: diskSandboxFiles(dataFolder),
    runCommand: sandboxCommands(engine),
    filesIn: containerFiles(engine),
    processes: postgresSandboxProcesses(pool),
    sandboxPorts: { ...ports, close: closeAll(() => scaled?.close(), ports.close) },
    scaled,
    containerUses: uses,
    sandboxUses: postgresSandboxUses(pool, sandboxIdleSeconds),
    previewTokens: previewTokens(encryptionKeys),
    removedFolders: postgresRemovedFolders(pool),
  }
}
