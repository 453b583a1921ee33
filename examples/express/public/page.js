// The popup has linked an account: show it.
document.addEventListener('linked', () => location.reload())
