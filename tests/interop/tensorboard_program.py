"""The real TensorBoard on a folder of event files: what its pages would show, as JSON.

Run with TensorFlow's interpreter: tensorboard_program.py FOLDER. TensorBoard's web application is
called directly: nothing listens anywhere.
"""

import json
import sys

from tensorboard import default, program
from tensorboard.backend import application
from werkzeug.test import Client
from werkzeug.wrappers import Response


def main(folder):
    """Print {page: what the application answers}."""
    board = program.TensorBoard(default.get_plugins())
    board.configure(argv=["tensorboard", "--logdir", folder, "--load_fast", "false"])
    ingester = board._make_data_ingester()
    ingester.deprecated_multiplexer.AddRunsFromDirectory(folder)
    ingester.deprecated_multiplexer.Reload()
    client = Client(
        application.TensorBoardWSGIApp(
            board.flags,
            board.plugin_loaders,
            ingester.data_provider,
            board.assets_zip_provider,
            ingester.deprecated_multiplexer,
        ),
        Response,
    )

    def get(page):
        answer = client.get(f"/data/{page}")
        assert answer.status_code == 200, (page, answer.status_code, answer.data[:500])
        return answer.data.decode()

    def blob(page):
        [first, *_] = json.loads(get(page))
        answer = client.get(f"/data/plugin/images/individualImage?{first['query']}")
        return answer.headers["Content-Type"], answer.data[:8].hex()

    plugin = "plugin/{}/{}?run=.&tag={}".format
    pages = {
        "scalars": json.loads(get(plugin("scalars", "scalars", "loss"))),
        "histograms": json.loads(get(plugin("histograms", "histograms", "weights"))),
        "text": json.loads(get(plugin("text", "text", "note"))),
        "image": blob(plugin("images", "images", "picture/image/0")),
        "audio": json.loads(get("plugin/audio/tags")),
        "info": json.loads(get("plugin/graphs/info")),
        "graph": get("plugin/graphs/graph?run=."),
        "run": get(plugin("graphs", "run_metadata", "a step")),
    }
    print(json.dumps(pages))


main(sys.argv[1])
