import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))

/** Everything a running demo writes; ignored by git, emptied by `npm run reset`. */
export const dataFolder = join(root, '.data')

/** The set-up's own lock and logs. */
export const setUpFolder = join(dataFolder, 'set-up')
