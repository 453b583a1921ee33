import '../kit/process/quiet-libraries.ts'

// Dynamic, because a bundler may run the libraries before a static import.
await import('./program.ts')
