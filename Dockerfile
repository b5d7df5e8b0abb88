# Token Tracer as a container: docker build --tag token-tracer .
FROM python:3.13-slim

# The project's one-thread rule; and a root file system that may be read-only is never written to:
# no bytecode, and torch, which looks for a place where its compiler could keep files (it keeps
# none: nothing is compiled here), is content with a folder that exists.
ENV OMP_NUM_THREADS=1 \
    OPENBLAS_NUM_THREADS=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    TORCHINDUCTOR_CACHE_DIR=/tmp

RUN useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin tracer
WORKDIR /srv/token-tracer

# What takes long comes first, so that a change of code installs nothing again. torch comes as the
# CPU wheel of PyTorch's own index, as in the Makefile (`--build-arg TORCH_INDEX=` turns it off);
# alone, so that this index is asked for nothing else and, where it cannot be reached, only once.
# Its compiled tests and C++ headers, 145 MB, are of no use here.
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
COPY constraints.txt ./
RUN python -m pip install --quiet --no-cache-dir --root-user-action ignore --no-deps \
    torch==$(sed -n 's/^torch==//p' constraints.txt) ${TORCH_INDEX:+--extra-index-url $TORCH_INDEX} && \
    cd "$(python -c 'import sysconfig; print(sysconfig.get_path("platlib"))')/torch" && \
    rm -rf test include

# An editable install needs the packages' folders, not yet what is in them.
COPY pyproject.toml ./
RUN mkdir --parents app/exports app/glossary app/labs app/lessons app/server app/site \
        app/tracing/api model/labs model/network model/ops model/table model/training && \
    python -m pip install --quiet --no-cache-dir --root-user-action ignore --constraint constraints.txt \
    --editable .

COPY app app
COPY model model
COPY static static
COPY templates templates
COPY checkpoints checkpoints
# Files of a strict umask become readable for the server's user. The import writes the bytecode of
# the standard library too, which slim images leave out; a build whose app cannot start ends here.
RUN chmod --recursive a+rX . && \
    python -m compileall -q app model && \
    env --unset PYTHONDONTWRITEBYTECODE python -c "import app.main, uvicorn"

USER 10001
EXPOSE 8000
# http.client takes no notice of the proxies that Docker may put into the environment.
HEALTHCHECK --interval=10s --timeout=10s --start-period=30s --retries=3 CMD ["python", "-c", \
    "import sys, http.client; \
    connection = http.client.HTTPConnection('127.0.0.1', 8000, timeout=5); \
    connection.request('GET', '/api/v1/health'); \
    answer = connection.getresponse(); \
    sys.exit(answer.status != 200 and answer.read().decode())"]
CMD ["python", "-m", "app", "serve", "--host", "0.0.0.0", "--port", "8000"]
