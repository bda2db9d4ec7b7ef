# Sourced by its neighbours: where the engine that they start lives, and how to ask for one.
folder=${FIRSTWORD_DOCKER_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/firstword-docker}
base=python:3.12-slim-bookworm

say() { echo "tools/docker: $*" >&2; }

# A client whose `build` is BuildKit's. A newer one hands builds to a plug-in, which may be missing:
# Debian's package has BuildKit inside.
client() {
    local each
    for each in "${FIRSTWORD_DOCKER:-}" docker /usr/bin/docker; do
        [ -n "$each" ] && command -v "$each" >/dev/null || continue
        if "$each" buildx version >/dev/null 2>&1 || ! needs_buildx "$each"; then
            command -v "$each"
            return
        fi
    done
    say "no docker client that can build was found: install Docker, or run tools/docker/install"
    return 1
}

needs_buildx() {
    local version
    version=$("$1" version --format '{{.Client.Version}}' 2>/dev/null | head -n 1)
    [ "${version%%.*}" -ge 23 ] 2>/dev/null
}

# Whether the process PID is PROGRAM: numbers are given again after a restart.
is_running() {
    [ -n "$1" ] && [ "$(cat "/proc/$1/comm" 2>/dev/null)" = "$2" ]
}
