import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))

/** All data of a running demo; ignored by git, deleted by `npm run reset`. */
export const dataFolder = join(root, '.data')

/** Lock and logs of the set-up. */
export const setUpFolder = join(dataFolder, 'set-up')
