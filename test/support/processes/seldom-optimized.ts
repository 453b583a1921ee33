/**
 * Flags of Node for what runs for a minute. Node 20 gives what has run a few times to its slow compiler, which took a sixth
 * of the processor in tests and saved less; later ones have a quick one in between (Maglev), and do not know the flag
 * (`--v8-options` of 26.10).
 */
export const seldomOptimized = process.version.startsWith('v20.') ? ['--interrupt-budget=3000000'] : []
