import type pg from 'pg'
import type { Keyring } from '../../../../kit/crypto/sealed-box.ts'
import { previewTokens } from '../../../shared/adapters/preview-tokens.ts'
import type { Engine } from '../../../shared/domain/engine.ts'
import { containerFiles } from '../containers/container-files.ts'
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
  return {
    engine,
    files: diskSandboxFiles(dataFolder),
    runCommand: sandboxCommands(engine),
    filesIn: containerFiles(engine),
    processes: postgresSandboxProcesses(pool),
    sandboxPorts: ports,
    sandboxUses: postgresSandboxUses(pool, sandboxIdleSeconds),
    previewTokens: previewTokens(encryptionKeys),
    removedFolders: postgresRemovedFolders(pool),
  }
}
